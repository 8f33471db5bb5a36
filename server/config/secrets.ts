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
  const receiptPrivateKey =
    keys.receiptPrivateKey ?? (await readOrCreate(db, 'receiptPrivateKey', newReceiptKey))
  return {
    tokenKey: keys.tokenKey ?? (await storedBytes(db, 'tokenKey')),
    codeKey: keys.codeKey ?? (await storedBytes(db, 'codeKey')),
    draftKey: keys.draftKey ?? (await storedBytes(db, 'draftKey')),
    captchaKey: keys.captchaKey ?? (await storedBytes(db, 'captchaKey')),
    dataKeys: await openDataKeys(
      db,
      createKeyRing(keys.dataKey ?? (await storedBytes(db, 'dataKey')), keys.previousDataKeys),
    ),
    previousTokenKey: keys.previousTokenKey,
    previousDraftKey: keys.previousDraftKey,
    previousReceiptKeys: keys.previousReceiptKeys.map(key => ({
      pem: publicKeyOf(key),
      raw: rawPublicKeyOf(key),
    })),
    receiptPrivateKey,
    receiptPublicKey: publicKeyOf(receiptPrivateKey),
    rawReceiptPublicKey: rawPublicKeyOf(receiptPrivateKey),
  }
}

async function storedBytes(db: Kysely<Schema>, name: string): Promise<Uint8Array> {
  return Buffer.from(await readOrCreate(db, name, () => randomBytes(32).toString('base64url')), 'base64url')
}

async function readOrCreate(db: Kysely<Schema>, name: string, make: () => string): Promise<string> {
  await db
    .insertInto('secret')
    .values({ name, value: make() })
    .onConflict(conflict => conflict.doNothing())
    .execute()
  const row = await db.selectFrom('secret').select('value').where('name', '=', name).executeTakeFirstOrThrow()
  return row.value
}

function newReceiptKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** `key`: a private or a public key. */
function rawPublicKeyOf(key: string): string {
  return createPublicKey(key).export({ format: 'jwk' }).x ?? ''
}
