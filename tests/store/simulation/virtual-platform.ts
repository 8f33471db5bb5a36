import { createCipheriv, createDecipheriv, KeyObject } from 'node:crypto'
import { deriveKey } from '#store/encryption.ts'
import type { Encrypted } from '#store/database.ts'
import type { VirtualClock } from './virtual-clock.ts'

export type Applicant = { applicantId: 'ada' | 'ben'; draftKey: string }
export const ada: Applicant = { applicantId: 'ada', draftKey: 'secret of ada' }
/** Signs in on the same phones, in the stories with a seed of at least `firstSessionSeed`. */
const ben: Applicant = { applicantId: 'ben', draftKey: 'secret of ben' }
export const applicants = [ada, ben] as const

/** The key of each applicant, derived by the real code. */
const rowKeys = await Promise.all(
  applicants.map(async each => ({ ...each, key: await deriveKey(each.draftKey, each.applicantId) })),
)

function keyOf(isOwner: (applicant: Applicant) => boolean): CryptoKey {
  const found = rowKeys.find(isOwner)
  if (!found) throw new Error('No applicant has this key')
  return found.key
}

/**
 * Replaces the timers of the machine, and computes AES-GCM at once instead of on another thread. The ciphertexts are
 * real: `decryptRow` opens what the store has written. `storageStepMs`: how long one step of the storage takes; a write
 * takes several steps, and other tabs act between them. Returns the function that restores the platform.
 */
export function installVirtualPlatform(clock: VirtualClock, storageStepMs: number): () => void {
  const { setImmediate, setTimeout, clearTimeout } = globalThis
  const { subtle } = crypto
  const original = Object.fromEntries(
    (['encrypt', 'decrypt', 'importKey', 'deriveKey'] as const).map(name => [name, subtle[name]]),
  )
  const cancels = new Map<number, () => void>()
  let timerId = 0
  Object.assign(globalThis, {
    // fake-indexeddb runs each step of a transaction in one such task.
    setImmediate: (run: () => void) => void clock.after(storageStepMs, run),
    setTimeout(run: () => void, milliseconds = 0) {
      timerId += 1
      cancels.set(timerId, clock.after(milliseconds, run))
      return timerId
    },
    clearTimeout: (id: number) => cancels.get(id)?.(),
  })
  Object.assign(subtle, {
    importKey: async (_format: 'raw', secret: Uint8Array) =>
      keyOf(({ draftKey }) => draftKey === new TextDecoder().decode(secret)),
    deriveKey: async (_algorithm: unknown, key: CryptoKey) => key,
    encrypt: async (parameters: AesGcmParams, key: CryptoKey, bytes: Uint8Array) =>
      encryptNow(parameters, key, bytes),
    decrypt: async (parameters: AesGcmParams, key: CryptoKey, bytes: ArrayBuffer) =>
      decryptNow(parameters, key, bytes),
  })
  return () => {
    Object.assign(globalThis, { setImmediate, setTimeout, clearTimeout })
    Object.assign(subtle, original)
  }
}

/** The key with which the store encrypts this row. */
function keyOfRow(context: string): CryptoKey {
  return keyOf(({ applicantId }) => context.startsWith(`${applicantId}/`))
}

/** Opens a row of an applicant, without the store. */
export function decryptRow({ start, text }: Encrypted, context: string): unknown {
  const additionalData = new TextEncoder().encode(context)
  const bytes = decryptNow({ name: 'AES-GCM', iv: start, additionalData }, keyOfRow(context), text)
  return JSON.parse(new TextDecoder().decode(bytes))
}

/** Encrypts a row as the store does. */
export function encryptRow(value: unknown, context: string): Encrypted {
  const start = crypto.getRandomValues(new Uint8Array(12))
  const additionalData = new TextEncoder().encode(context)
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  return { start, text: encryptNow({ name: 'AES-GCM', iv: start, additionalData }, keyOfRow(context), bytes) }
}

const tagBytes = 16
const keyObjects = new WeakMap<CryptoKey, KeyObject>()

function keyObjectOf(key: CryptoKey): KeyObject {
  const known = keyObjects.get(key) ?? KeyObject.from(key)
  keyObjects.set(key, known)
  return known
}

function encryptNow(parameters: AesGcmParams, key: CryptoKey, bytes: Uint8Array): ArrayBuffer {
  const cipher = createCipheriv('aes-256-gcm', keyObjectOf(key), asBytes(parameters.iv))
  cipher.setAAD(asBytes(parameters.additionalData))
  const parts = [cipher.update(bytes), cipher.final(), cipher.getAuthTag()]
  return new Uint8Array(Buffer.concat(parts)).buffer
}

function decryptNow(parameters: AesGcmParams, key: CryptoKey, text: ArrayBuffer): ArrayBuffer {
  const decipher = createDecipheriv('aes-256-gcm', keyObjectOf(key), asBytes(parameters.iv))
  decipher.setAAD(asBytes(parameters.additionalData))
  const bytes = new Uint8Array(text)
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  return new Uint8Array(Buffer.concat([decipher.update(bytes.subarray(0, -tagBytes)), decipher.final()]))
    .buffer
}

function asBytes(source: BufferSource | undefined): Uint8Array {
  if (source instanceof Uint8Array) return source
  throw new Error('The store passes bytes')
}
