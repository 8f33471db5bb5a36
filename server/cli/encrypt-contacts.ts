import { type Kysely, sql } from 'kysely'
import type { DataKeys } from '#server/config/data-keys.ts'
import { createDataCipher } from '#server/crypto/data-cipher.ts'
import { newestContactPrefix } from '#server/crypto/sealed-values.ts'
import type { Schema } from '#server/database/schema.ts'

/** Every column with contacts. */
export const contactColumns = [
  ['contact', 'value'],
  ['challenge', 'value'],
  ['contact_change', 'value_before'],
  ['contact_change', 'value_after'],
  ['session', 'msisdn'],
  ['session', 'email'],
  ['one_time_code', 'sent_to'],
  ['whitelist', 'value'],
  ['outbox', 'recipient'],
] as const satisfies readonly (readonly [keyof Schema, string])[]

const batchContacts = 2_000

/**
 * Encrypts up to 2,000 different contacts of a column under the newest key, and returns their number: 0 when none is left.
 * The hashes (`#…`) that hide the contacts of deleted accounts stay (D112).
 */
export async function encryptContacts(
  trx: Kysely<Schema>,
  keys: DataKeys,
  [table, name]: (typeof contactColumns)[number],
): Promise<number> {
  const column = sql.ref(`${table}.${name}`)
  const cipher = createDataCipher(keys)
  // Returns the stored texts as one JSON array, which the encryption plugin does not decrypt: the update below finds its
  // rows by the stored text.
  const { rows } = await sql<{ found: string[] | null }>`
    select jsonb_agg(stored) as found from (
      select distinct ${column} as stored from ${sql.table(table)}
      where ${column} <> '' and not starts_with(${column}, '#')
        and not starts_with(${column}, ${newestContactPrefix(keys.ring)})
      limit ${sql.lit(batchContacts)}) as old`.execute(trx)
  const old = rows[0]?.found ?? []
  if (old.length === 0) return 0
  const newest = old.map(stored => cipher.storeContact(textOf(table, cipher.openContact(stored))))
  await sql`
    update ${sql.table(table)} set ${sql.ref(name)} = given.newest
    from unnest(${old}::text[], ${newest}::text[]) as given (old, newest)
    where ${column} = given.old`.execute(trx)
  return old.length
}

/** An earlier release stored an address in the outbox as the applicant had typed it, with capital letters. */
function textOf(table: keyof Schema, contact: string): string {
  return table === 'outbox' ? contact.toLowerCase() : contact
}
