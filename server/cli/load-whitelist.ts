import { sql, type Transaction } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { type Command, pluralise, done, failed } from './command.ts'
import { readTable } from './read-table.ts'
import { type WhitelistContact, whitelistColumns } from './whitelist-contact.ts'

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
  isRecorded: true,
  async run({ trx, openFile }, { operands: [path = ''] }) {
    const table = readTable(openFile(path), whitelistColumns)
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
    const added = done(
      `${pluralise(contacts.length, 'contact')}: ${rows.length} added, the others were there already or are repeated in the file.`,
    )
    return { ...added, about: [`${rows.length} added`] }
  },
}

/** Makes two contacts one payment. It is used when one of them was used before. */
async function joinEntries(
  trx: Transaction<Schema>,
  one: WhitelistContact,
  other: WhitelistContact,
): Promise<void> {
  await sql`
    with one as (select entry, used_at from whitelist where kind = ${one.kind} and value = ${one.value}),
    other as (select entry, used_at from whitelist where kind = ${other.kind} and value = ${other.value})
    update whitelist set entry = one.entry, used_at = coalesce(one.used_at, other.used_at)
    from one, other
    where whitelist.entry in (one.entry, other.entry)`.execute(trx)
}
