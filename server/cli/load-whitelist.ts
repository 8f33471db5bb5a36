import { sql, type Transaction } from 'kysely'
import * as z from 'zod/mini'
import { homeDialCode } from '#contract/codes.ts'
import { withoutSeparators } from '#contract/phone.ts'
import type { ContactKind, Schema } from '#server/database/schema.ts'
import { type Command, pluralise, done, failed } from './command.ts'
import { readTable } from './read-table.ts'

type Contact = { kind: ContactKind; value: string }

const contactCell = z.pipe(
  z
    .string()
    .check(
      z.refine(
        text => readContact(text) !== undefined,
        'is neither an e-mail address nor a phone number with its country code, as +237671234567',
      ),
    ),
  z.transform(readContact),
)

const columns = { contact: contactCell, otherContact: z.optional(contactCell) }

export const loadWhitelistCommand: Command = {
  name: 'load-whitelist',
  usage: 'FILE.csv',
  operands: [1, 1],
  summary: 'Adds people who have paid in the old system',
  help: [
    'Columns: contact, a phone number with its country code or an e-mail address; otherContact may be empty.',
    'A line is one payment: an applicant who signs in with one of its contacts may continue once without paying.',
  ],
  options: {},
  async run({ trx, openFile }, { operands: [path = ''] }) {
    const table = readTable(openFile(path), columns)
    if (table.kind === 'faults') return failed(...table.faults)
    const contacts = table.rows.flatMap(({ values: { contact, otherContact } }) => [
      ...(contact ? [contact] : []),
      ...(otherContact ? [otherContact] : []),
    ])
    const { rows } = await sql`
      insert into whitelist (kind, value)
      select kind, value from jsonb_to_recordset(${JSON.stringify(contacts)}::jsonb) as (kind text, value text)
      on conflict do nothing returning kind`.execute(trx)
    for (const { values } of table.rows)
      if (values.contact && values.otherContact) await joinEntries(trx, values.contact, values.otherContact)
    return done(
      `${pluralise(contacts.length, 'contact')}: ${rows.length} added, the others were there already or are repeated in the file.`,
    )
  },
}

/** Makes two contacts one payment. It is used when one of them was used before. */
async function joinEntries(trx: Transaction<Schema>, one: Contact, other: Contact): Promise<void> {
  await sql`
    with one as (select entry, used_at from whitelist where kind = ${one.kind} and value = ${one.value}),
    other as (select entry, used_at from whitelist where kind = ${other.kind} and value = ${other.value})
    update whitelist set entry = one.entry, used_at = coalesce(one.used_at, other.used_at)
    from one, other
    where whitelist.entry in (one.entry, other.entry)`.execute(trx)
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
