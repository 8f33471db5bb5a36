import type { Encrypted } from './database.ts'
import { StorageFault } from './storage-fault.ts'

/**
 * Derives the AES-GCM key for the rows of one applicant, such as drafts, from the `draftKey` of the server (HKDF, D31).
 * The encryption does not protect against a script in this page, nor against an attacker who reads the disk of an unlocked
 * phone.
 */
export async function deriveKey(draftKey: string, applicantId: string): Promise<CryptoKey> {
  const secret = await crypto.subtle.importKey('raw', encode(draftKey), 'HKDF', false, ['deriveKey'])
  return crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: encode(applicantId), info: encode('drafts') },
    secret,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  )
}

/** `previousKey`: while the server changes its key, a second key, which only decrypts (D110). */
export type RowKeys = { key: CryptoKey | undefined; previousKey?: CryptoKey | undefined }

/** For a server without `draftKey`: only this device can decrypt what this key encrypts. */
export function randomKey(): Promise<CryptoKey> {
  return crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}

/**
 * `context` identifies the row: a ciphertext copied into another row cannot be decrypted.
 * @throws StorageFault without a key
 */
export async function encryptJson(
  key: CryptoKey | undefined,
  value: unknown,
  context: string,
): Promise<Encrypted> {
  return encryptBytes(key, encode(JSON.stringify(value)), context)
}

export async function encryptBytes(
  key: CryptoKey | undefined,
  bytes: BufferSource,
  context: string,
): Promise<Encrypted> {
  if (!key) throw new StorageFault('refused')
  const start = crypto.getRandomValues(new Uint8Array(12))
  const algorithm = { name: 'AES-GCM', iv: start, additionalData: encode(context) }
  return { start, text: await crypto.subtle.encrypt(algorithm, key, bytes) }
}

/** Undefined when neither key decrypts the ciphertext: it is damaged, or was encrypted with another key or for another row. */
export async function decryptJson(keys: RowKeys, encrypted: Encrypted, context: string): Promise<unknown> {
  const bytes = await decryptBytes(keys, encrypted, context)
  return bytes && JSON.parse(new TextDecoder().decode(bytes))
}

export async function decryptBytes(
  { key, previousKey }: RowKeys,
  encrypted: Encrypted,
  context: string,
): Promise<ArrayBuffer | undefined> {
  return (await tryKey(key, encrypted, context)) ?? tryKey(previousKey, encrypted, context)
}

/**
 * Encrypts with `key` what `previousKey` has encrypted. Undefined when `key` decrypts it already, or when neither key
 * does.
 */
export async function reencrypt(
  { key, previousKey }: RowKeys,
  encrypted: Encrypted,
  context: string,
): Promise<Encrypted | undefined> {
  if (await tryKey(key, encrypted, context)) return undefined
  const bytes = await tryKey(previousKey, encrypted, context)
  return bytes && encryptBytes(key, bytes, context)
}

/** Compares every byte, so a row that was damaged since does not count as the same. */
export function isSameCiphertext(one: Encrypted, other: Encrypted): boolean {
  return indexedDB.cmp(one.start, other.start) === 0 && indexedDB.cmp(one.text, other.text) === 0
}

async function tryKey(
  key: CryptoKey | undefined,
  encrypted: Encrypted,
  context: string,
): Promise<ArrayBuffer | undefined> {
  if (!key) return undefined
  const algorithm = { name: 'AES-GCM', iv: encrypted.start, additionalData: encode(context) }
  try {
    return await crypto.subtle.decrypt(algorithm, key, encrypted.text)
  } catch {
    return undefined // another key or another row's context, or damaged bytes
  }
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
