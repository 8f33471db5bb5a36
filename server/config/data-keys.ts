import { type Kysely, type KyselyPlugin, sql } from 'kysely'
import { createDataCipher } from '#server/crypto/data-cipher.ts'
import {
  isSealed,
  type KeyRing,
  newestPrefix,
  rewrap,
  seal,
  type SealedPlace,
  unseal,
} from '#server/crypto/sealed-values.ts'
import { createEncryptionPlugin } from '#server/database/encryption-plugin.ts'
import type { Schema } from '#server/database/schema.ts'

/** The keys of personal data in the database (D71). */
export type DataKeys = {
  ring: KeyRing
  /**
   * Whether writes encrypt. On a database of an earlier release they do so only after `npm run office -- encrypt-data`.
   */
  isStarted: boolean
}

/** The plugin with which a connection encrypts the contacts and messages that it stores, and decrypts contacts. */
export function encryptionPlugin(keys: DataKeys): KyselyPlugin {
  return createEncryptionPlugin(createDataCipher(keys))
}

/** What of `Services` the encryption needs. */
export type WithDataKeys = { secrets: { dataKeys: DataKeys } }

const proofPlace: SealedPlace = { column: 'encryption.proof', row: '' }

/**
 * Reads whether the encryption has started, and checks that the ring has the key of the proof. Starts the encryption on a
 * database without applicants, where no process of an earlier release can meet values that it cannot read.
 *
 * @throws {UnknownDataKeyError} when the database was encrypted with a key that is not in the ring.
 */
export async function openDataKeys(db: Kysely<Schema>, ring: KeyRing): Promise<DataKeys> {
  const proof = seal(ring, proofPlace, 'encrypted')
  await sql`
    insert into encryption (proof) select ${proof} where not exists (select from applicant)
    on conflict (id) do nothing`.execute(db)
  const row = await db.selectFrom('encryption').select('proof').executeTakeFirst()
  if (row !== undefined) unseal(ring, proofPlace, row.proof)
  return { ring, isStarted: row !== undefined }
}

/**
 * Until the encryption has started, asks the database every `startPollMs` whether it has, because a statement that
 * stores a contact or a message does not ask.
 */
export function watchEncryptionStart(db: Kysely<Schema>, keys: DataKeys, onError: (error: unknown) => void) {
  const look = () => {
    if (keys.isStarted) clearInterval(timer)
    else isEncrypting(db, keys).catch(onError)
  }
  const timer = setInterval(look, startPollMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

/** How often a process looks for the start of the encryption. */
export const startPollMs = 2_000

/**
 * Starts the encryption of a database of an earlier release. Within `startPollMs` every process encrypts what it writes.
 *
 * @throws {UnknownDataKeyError} when it was started before with a key that is not in the ring.
 */
export async function startEncryption(db: Kysely<Schema>, keys: DataKeys): Promise<void> {
  const proof = seal(keys.ring, proofPlace, 'encrypted')
  await sql`insert into encryption (proof) values (${proof}) on conflict (id) do nothing`.execute(db)
  await isEncrypting(db, keys)
}

/**
 * Encrypts the proof under the newest key. Call it after all other values: while the proof needs an earlier key, a server
 * without that key does not start.
 */
export async function rewrapProof(db: Kysely<Schema>, { ring }: DataKeys): Promise<void> {
  const { proof } = await db.selectFrom('encryption').select('proof').executeTakeFirstOrThrow()
  await db
    .updateTable('encryption')
    .set({ proof: rewrap(ring, proof) })
    .execute()
}

/** Returns what to store: the sealed text, or the text itself while the encryption has not started. */
export async function toStored(
  { db, secrets }: WithDataKeys & { db: Kysely<Schema> },
  place: SealedPlace,
  text: string,
): Promise<string> {
  const { dataKeys } = secrets
  return (await isEncrypting(db, dataKeys)) ? seal(dataKeys.ring, place, text) : text
}

/** Returns the text of a stored value, also of one from before the encryption. */
export function fromStored({ secrets }: WithDataKeys, place: SealedPlace, stored: string): string {
  return isSealed(stored) ? unseal(secrets.dataKeys.ring, place, stored) : stored
}

/**
 * Returns what to store instead: the value under the newest key. Undefined when it is under this key already, or empty.
 */
export function underNewestKey(
  { secrets }: WithDataKeys,
  place: SealedPlace,
  stored: string,
): string | undefined {
  const { ring } = secrets.dataKeys
  if (stored === '' || stored.startsWith(newestPrefix(ring))) return undefined
  return isSealed(stored) ? rewrap(ring, stored) : seal(ring, place, stored)
}

/**
 * Returns whether the encryption has started. Asks the database at each call until it has, and then remembers this in
 * `keys.isStarted`: the encryption never ends.
 *
 * @throws {UnknownDataKeyError} when it was started with a key that is not in the ring.
 */
async function isEncrypting(db: Kysely<Schema>, keys: DataKeys): Promise<boolean> {
  if (keys.isStarted) return true
  const row = await db.selectFrom('encryption').select('proof').executeTakeFirst()
  if (row === undefined) return false
  unseal(keys.ring, proofPlace, row.proof)
  keys.isStarted = true
  return true
}
