import { randomUUID } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import { contactValues, storedContacts } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import { loadSecrets } from '#server/config/secrets.ts'
import { hiddenContact } from '#server/crypto/hidden-contact.ts'
import { type Command, pluralise, done, refused } from './command.ts'
import { limitFaults, readTable } from './read-table.ts'
import { type TypedContact, whitelistColumns } from './typed-contact.ts'

export const loadWhitelistCommand: Command = {
  name: 'load-whitelist',
  usage: 'FILE.csv',
  operands: [1, 1],
  summary: 'Adds people who have paid in the old system to the whitelist',
  help: [
    'Columns: contact, a phone number with its country code or an e-mail address; otherContact may be empty.',
    'A line is one payment: an applicant who signs in with one of its contacts may continue once without paying.',
    'If a contact of a line belongs to another payment already, the command loads no line.',
  ],
  options: {},
  isRecorded: true,
  async run({ trx, config, openFile }, { operands: [path = ''] }) {
    const table = readTable(openFile(path), whitelistColumns)
    if (table.kind === 'faults') return refused(...table.faults)
    const rows = table.rows.map(row => ({ row, contacts: contactsOf(row.values) }))
    const contacts = rows.flatMap(each => each.contacts)
    const { codeKey } = await loadSecrets(trx, config)
    const whitelist = createWhitelist(await readStored(trx, contacts, codeKey))
    const faults = rows
      .filter(each => !whitelist.add(each.contacts))
      .map(({ row }) => row.fault('otherContact', otherPaymentFault))
    if (faults.length > 0) return refused(...limitFaults(faults))
    const added = whitelist.added()
    // No `on conflict` clause: when another load has just added a contact, the insert fails, and the command runs again.
    await sql`
      insert into whitelist (kind, value, entry)
      select kind, value, entry from unnest(${added.map(({ kind }) => kind)}::text[],
        ${contactValues(added.map(({ value }) => value))}, ${added.map(({ entry }) => entry)}::uuid[])
        as added (kind, value, entry)`.execute(trx)
    const outcome = done(
      `${pluralise(contacts.length, 'contact')}: ${added.length} added, the others are on the whitelist already or are repeated in the file.`,
    )
    return { ...outcome, about: [`${added.length} added`] }
  },
}

const otherPaymentFault =
  'It cannot share a payment with the contact, because one of them belongs to another payment already.'

function contactsOf(values: {
  contact: TypedContact | undefined
  otherContact?: TypedContact | undefined
}): TypedContact[] {
  return [values.contact, values.otherContact].filter(each => each !== undefined)
}

type StoredContact = TypedContact & { entry: string; is_used: boolean }

/**
 * Returns the stored contacts of all entries that have one of these contacts, and locks them. The contacts of a deleted
 * account are stored as hashes: a contact of the file is compared with them by its own hash (D112).
 */
async function readStored(
  trx: Transaction<Schema>,
  contacts: readonly TypedContact[],
  codeKey: Uint8Array,
): Promise<StoredContact[]> {
  const valueOf = new Map(contacts.map(each => [hiddenContact(codeKey, each), each.value]))
  const { rows } = await sql<StoredContact>`
    select kind, value, entry, used_at is not null as is_used from whitelist
    where entry in (
      select entry from whitelist
      where value = any (${storedContacts(...contacts.map(({ value }) => value))})
        or value = any (${[...valueOf.keys()]}::text[]))
    order by kind, value
    for update of whitelist`.execute(trx)
  return rows.map(row => ({ ...row, value: valueOf.get(row.value) ?? row.value }))
}

function keyOf({ kind, value }: TypedContact): string {
  return `${kind} ${value}`
}

/** The stored entries, and those of the rows of the file that `add` has accepted. */
function createWhitelist(stored: readonly StoredContact[]) {
  const entries = new Map(stored.map(each => [keyOf(each), each.entry]))
  /** The entries that no contact may join: a used one, and one that has its two contacts. */
  const full = new Set(stored.filter(each => each.is_used).map(({ entry }) => entry))
  const seen = new Set<string>()
  for (const { entry } of stored) {
    if (seen.has(entry)) full.add(entry)
    seen.add(entry)
  }
  const added: (TypedContact & { entry: string })[] = []

  return {
    /**
     * Adds the contacts of one row as one payment. False when they belong to different payments already, or to one that
     * can get no other contact.
     */
    add(contacts: readonly TypedContact[]): boolean {
      const missing = contacts.filter(contact => !entries.has(keyOf(contact)))
      const existing = new Set(contacts.flatMap(contact => entries.get(keyOf(contact)) ?? []))
      if (missing.length === 0 && existing.size === 1) return true
      const [entry = randomUUID()] = existing
      if (existing.size > 1 || full.has(entry)) return false
      for (const contact of missing) {
        if (!entries.has(keyOf(contact))) added.push({ ...contact, entry })
        entries.set(keyOf(contact), entry)
      }
      if (contacts.length > 1) full.add(entry)
      return true
    },
    added: () => added,
  }
}
