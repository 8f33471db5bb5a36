import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Configuration } from './config.ts'
import type { Schema } from '#server/database/schema.ts'

/** Keys of the server; generated once and kept in the database for the demo, given by the operator in production. */
export type Secrets = {
  /** HS256 key of access tokens. */
  tokenKey: Uint8Array
  /** Keyed hash of one-time codes. */
  codeKey: Uint8Array
  /** From which each applicant's draftKey is derived (D31). */
  draftKey: Uint8Array
  captchaKey: Uint8Array
  /** Ed25519, PKCS#8 PEM; signs receipts (D44). */
  receiptPrivateKey: string
  receiptPublicKey: string
  /** The same key as bare bytes, 32 in base64url: what the portal verifies with. */
  receiptKey: string
}

/** Several processes that start together agree: the first row written wins, all read it back. */
export async function loadSecrets(db: Kysely<Schema>, config: Configuration): Promise<Secrets> {
  const { keys } = config
  const receiptPrivateKey =
    keys.receiptPrivateKey ?? (await readOrCreate(db, 'receiptPrivateKey', newReceiptKey))
  return {
    tokenKey: keys.tokenKey ?? (await storedBytes(db, 'tokenKey')),
    codeKey: keys.codeKey ?? (await storedBytes(db, 'codeKey')),
    draftKey: keys.draftKey ?? (await storedBytes(db, 'draftKey')),
    captchaKey: keys.captchaKey ?? (await storedBytes(db, 'captchaKey')),
    receiptPrivateKey,
    receiptPublicKey: publicKeyOf(receiptPrivateKey),
    receiptKey: bareKeyOf(receiptPrivateKey),
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

function publicKeyOf(privateKey: string): string {
  return createPublicKey(createPrivateKey(privateKey)).export({ type: 'spki', format: 'pem' }).toString()
}

function bareKeyOf(privateKey: string): string {
  return createPublicKey(createPrivateKey(privateKey)).export({ format: 'jwk' }).x ?? ''
}
