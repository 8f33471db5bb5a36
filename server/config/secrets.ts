import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Configuration } from './config.ts'
import { publicKeyOf } from './config-values.ts'
import { createKeyRing } from '#server/crypto/sealed-values.ts'
import type { Schema } from '#server/database/schema.ts'
import { type DataKeys, openDataKeys } from './data-keys.ts'

/**
 * The server's keys. A key that the configuration does not set is generated once and stored in the database, except those
 * whose names begin with `previous`. Generated keys are for the demo: production refuses a configuration for which a key would
 * be generated.
 */
export type Secrets = {
  /** HS256 key of access tokens. */
  tokenKey: Uint8Array
  /** While the operator changes `tokenKey`, a second key, whose tokens are valid too: first the new, then the old (D110). */
  previousTokenKey: Uint8Array | undefined
  /** Key of keyed hashes, for example of one-time codes, undo codes, networks, requests, subjects of events, hidden contacts. */
  codeKey: Uint8Array
  /** The key from which the draftKey of each applicant is derived (D31). */
  draftKey: Uint8Array
  /** While the operator changes `draftKey`, a second key: devices only decrypt with it. First the new, then the old (D110). */
  previousDraftKey: Uint8Array | undefined
  captchaKey: Uint8Array
  dataKeys: DataKeys
  /** Ed25519, PKCS#8 PEM; signs receipts (D44). */
  receiptPrivateKey: string
  /** The public key of `receiptPrivateKey`, SPKI PEM. */
  receiptPublicKey: string
  /** The same public key as 32 raw bytes in base64url, with which the portal verifies receipts. */
  rawReceiptPublicKey: string
  /** Public keys of earlier receipts, as SPKI PEM and as `rawReceiptPublicKey` is written (D110). */
  previousReceiptKeys: readonly { pem: string; raw: string }[]
}

/**
 * Returns the configured keys, and for the others the stored ones, which it generates when there are none. Processes
 * that start together get the same keys: the first stored row wins.
 *
 * @throws {UnknownDataKeyError} when the database was encrypted with a data key that the configuration lacks.
 */
export async function loadSecrets(db: Kysely<Schema>, config: Configuration): Promise<Secrets> {
  const { keys } = config
  const stored = await readOrCreate(
    db,
    keyNames.filter(name => keys[name] === undefined),
  )
  const bytesOf = (name: Exclude<KeyName, 'receiptPrivateKey'>) =>
    keys[name] ?? Buffer.from(stored(name), 'base64url')
  const receiptPrivateKey = keys.receiptPrivateKey ?? stored('receiptPrivateKey')
  const { pem: receiptPublicKey, raw: rawReceiptPublicKey } = readPublicKey(receiptPrivateKey)
  return {
    tokenKey: bytesOf('tokenKey'),
    codeKey: bytesOf('codeKey'),
    draftKey: bytesOf('draftKey'),
    captchaKey: bytesOf('captchaKey'),
    dataKeys: await openDataKeys(db, createKeyRing(bytesOf('dataKey'), keys.previousDataKeys)),
    previousTokenKey: keys.previousTokenKey,
    previousDraftKey: keys.previousDraftKey,
    previousReceiptKeys: keys.previousReceiptKeys.map(readPublicKey),
    receiptPrivateKey,
    receiptPublicKey,
    rawReceiptPublicKey,
  }
}

const keyNames = ['receiptPrivateKey', 'tokenKey', 'codeKey', 'draftKey', 'captchaKey', 'dataKey'] as const
type KeyName = (typeof keyNames)[number]

/** Returns a reader of the stored keys with these names. Stores new keys for those that are not stored yet. */
async function readOrCreate(
  db: Kysely<Schema>,
  names: readonly KeyName[],
): Promise<(name: KeyName) => string> {
  let stored = await readStored(db, names)
  const missing = names.filter(name => !stored.has(name))
  if (missing.length > 0) {
    await db
      .insertInto('secret')
      .values(missing.map(name => ({ name, value: newKey(name) })))
      .onConflict(conflict => conflict.doNothing())
      .execute()
    // Not the new keys: another process may have been faster.
    stored = await readStored(db, names)
  }
  return name => {
    const value = stored.get(name)
    if (value === undefined) throw new Error(`The database has no key ${name}.`)
    return value
  }
}

async function readStored(db: Kysely<Schema>, names: readonly KeyName[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map()
  const rows = await db.selectFrom('secret').select(['name', 'value']).where('name', 'in', names).execute()
  return new Map(rows.map(({ name, value }) => [name, value]))
}

function newKey(name: KeyName): string {
  return name === 'receiptPrivateKey' ? newReceiptKey() : randomBytes(32).toString('base64url')
}

function newReceiptKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** `key`: a private or a public key. */
function readPublicKey(key: string): { pem: string; raw: string } {
  return { pem: publicKeyOf(key), raw: createPublicKey(key).export({ format: 'jwk' }).x ?? '' }
}
