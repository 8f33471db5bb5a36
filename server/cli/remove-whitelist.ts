import { sql } from 'kysely'
import { storedContactsLower } from '#server/database/contact-values.ts'
import { type Command, type CommandContext, done, refused, type Outcome, pluralise } from './command.ts'
import { maskContact } from './mask.ts'
import { readTable } from './read-table.ts'
import {
  readTypedContact,
  unknownContactFault,
  type TypedContact,
  whitelistColumns,
} from './typed-contact.ts'

export const removeWhitelistCommand: Command = {
  name: 'remove-whitelist',
  usage: 'CONTACT… | --file FILE.csv',
  operands: [0, 100],
  summary: 'Removes people who have paid in the old system from the whitelist',
  help: [
    'CONTACT is a phone number with its country code or an e-mail address; a file has the column contact.',
    'The other contact of the same payment is removed too.',
    'If one contact is not on the whitelist, or an applicant has used its payment, the command removes none.',
    'Your shell may keep contacts that you type in its history; with --file it keeps only the name of the file.',
  ],
  options: { file: { type: 'string' } },
  isRecorded: true,
  needsReason: true,
  async run(context, { operands, options: { file } }) {
    if (typeof file === 'string' && operands.length > 0)
      return refused('Give contacts or --file FILE.csv, not both.')
    const contacts = typeof file === 'string' ? readFileContacts(context, file) : readTyped(operands)
    if ('kind' in contacts) return contacts
    const entries: string[] = []
    const faults: string[] = []
    for (const contact of contacts) {
      const entry = await findEntry(context, contact)
      if (entry === undefined) faults.push(`${maskContact(contact)}: It is not on the whitelist.`)
      else if (entry.used)
        faults.push(`${maskContact(contact)}: Its payment was used for an application already.`)
      else entries.push(entry.id)
    }
    if (faults.length > 0) return { ...refused(...faults), about: contacts.map(maskContact) }
    const removed = await removeEntries(context, entries)
    return { ...done(`${pluralise(removed.length, 'contact')} removed.`), about: removed.map(maskContact) }
  },
}

function readFileContacts({ openFile }: CommandContext, file: string): TypedContact[] | Outcome {
  const table = readTable(openFile(file), whitelistColumns)
  if (table.kind === 'faults') return refused(...table.faults)
  return table.rows.flatMap(({ values }) => values.contact ?? [])
}

function readTyped(operands: string[]): TypedContact[] | Outcome {
  if (operands.length === 0) return refused('Give the contacts, or --file FILE.csv.')
  const faults = operands.filter(text => readTypedContact(text) === undefined)
  if (faults.length > 0) return refused(...faults.map(text => `"${text}" ${unknownContactFault}.`))
  return operands.flatMap(text => readTypedContact(text) ?? [])
}

/** Locks the contacts of the entry, in the same order as `useWhitelist`: an applicant may be using this entry now. */
async function findEntry(
  { trx }: CommandContext,
  { kind, value }: TypedContact,
): Promise<{ id: string; used: boolean } | undefined> {
  const { rows } = await sql<{ id: string; used: boolean }>`
    select entry as id, used_at is not null as used from whitelist
    where entry in (
      select entry from whitelist
      where kind = ${kind} and lower(value) = any (${storedContactsLower(value.toLowerCase())}))
    order by kind, value
    for update`.execute(trx)
  return rows[0]
}

/** Removes the entries with all their contacts: an entry is one payment, which any of its contacts could use. */
async function removeEntries({ trx }: CommandContext, entries: string[]): Promise<TypedContact[]> {
  // `in ()` is no SQL.
  if (entries.length === 0) return []
  return trx.deleteFrom('whitelist').where('entry', 'in', entries).returning(['kind', 'value']).execute()
}
