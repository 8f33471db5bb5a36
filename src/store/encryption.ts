import type { Encrypted } from './database.ts'
import { StorageFault } from './storage-fault.ts'

/**
 * Drafts rest on the device as AES-GCM ciphertext under a key derived from the applicant's draftKey (D31).
 * This is no defence against script in this page or somebody with the unlocked phone's disk.
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

/** For a server that hands out no secret: what it seals opens on this device alone. */
export function randomKey(): Promise<CryptoKey> {
  return crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}

/** `context` names the row; a sealed text put into another row does not open. */
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

/** The value, or undefined when the key is another's or the text is damaged. */
export async function decryptJson(
  key: CryptoKey | undefined,
  sealed: Encrypted,
  context: string,
): Promise<unknown> {
  const bytes = await decryptBytes(key, sealed, context)
  return bytes && JSON.parse(new TextDecoder().decode(bytes))
}

export async function decryptBytes(
  key: CryptoKey | undefined,
  sealed: Encrypted,
  context: string,
): Promise<ArrayBuffer | undefined> {
  if (!key) return undefined
  const algorithm = { name: 'AES-GCM', iv: sealed.start, additionalData: encode(context) }
  try {
    return await crypto.subtle.decrypt(algorithm, key, sealed.text)
  } catch {
    return undefined // a draft that cannot be read is treated as none, never as a fault
  }
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
