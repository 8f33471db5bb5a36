import { sql } from 'kysely'
import * as z from 'zod/mini'
import { homeDialCode } from '#contract/codes.ts'
import { withoutSeparators } from '#contract/phone.ts'
import type { ContactKind } from '#server/database/schema.ts'
import { type Command, pluralise, done, failed } from './command.ts'
import { readTable } from './read-table.ts'

type Contact = { kind: ContactKind; value: string }

const columns = {
  contact: z.pipe(
    z
      .string()
      .check(
        z.refine(
          text => readContact(text) !== undefined,
          'is neither an e-mail address nor a phone number with its country code, as +237671234567',
        ),
      ),
    z.transform(readContact),
  ),
}

export const loadWhitelistCommand: Command = {
  name: 'load-whitelist',
  usage: 'FILE.csv',
  operands: [1, 1],
  summary: 'Adds people who have paid in the old system',
  help: [
    'Column: contact, a phone number with its country code or an e-mail address.',
    'An applicant who signs in with this contact may continue once without paying.',
  ],
  options: {},
  async run({ trx, openFile }, { operands: [path = ''] }) {
    const table = readTable(openFile(path), columns)
    if (table.kind === 'faults') return failed(...table.faults)
    const contacts = table.rows.flatMap(({ values }) => values.contact ?? [])
    const { rows } = await sql`
      insert into whitelist (kind, value)
      select kind, value from jsonb_to_recordset(${JSON.stringify(contacts)}::jsonb) as (kind text, value text)
      on conflict do nothing returning kind`.execute(trx)
    return done(
      `${pluralise(contacts.length, 'contact')}: ${rows.length} added, the others were there already or are repeated in the file.`,
    )
  },
}

function readContact(text: string): Contact | undefined {
  if (text.includes('@'))
    return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text) ? { kind: 'email', value: text.toLowerCase() } : undefined
  const isInternational = /^\s*(?:\+|00)/.test(text)
  const value = withoutSeparators(text).replace(/^00/, '')
  return hasCountryCode(value, isInternational) ? { kind: 'phone', value } : undefined
}

/**
 * Applicants sign in with a country code, so a number without one would match no applicant. A number without + or 00
 * counts as one with a country code when it is longer than a home number.
 */
function hasCountryCode(digits: string, isInternational: boolean): boolean {
  if (digits.startsWith(homeDialCode)) return /^[26]\d{8}$/.test(digits.slice(homeDialCode.length))
  return /^[1-9]\d{6,14}$/.test(digits) && (isInternational || digits.length > homeNumberLength)
}

/** Digits of a home number without its country code. */
const homeNumberLength = 9
