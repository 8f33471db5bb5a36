import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/**
 * A key of the operator. The database has it only in a demo without DATA_KEY. Each value names its key by `id`, which
 * reveals no key.
 */
export type MasterKey = {
  id: string
  wrapping: Uint8Array
  lookup: Uint8Array
  contacts: Uint8Array
  nonces: Uint8Array
}

/**
 * Only the first key encrypts; all keys decrypt. So a new key takes over while values under the old one stay (D71). The
 * first key is called the newest, although the operator adds a new key at first among the others.
 */
export type KeyRing = readonly [MasterKey, ...MasterKey[]]

/**
 * Where a value is stored. It cannot be decrypted with another place, so an attacker cannot exchange the values of two
 * rows.
 */
export type SealedPlace = { column: string; row: string }

/** The database has a value that is encrypted under a key that the ring lacks. The message is for the operator. */
export class UnknownDataKeyError extends Error {}

const mark = 'sealed-1'
const cipherName = 'aes-256-gcm'
const [keyBytes, nonceBytes, tagBytes] = [32, 12, 16]

/** @throws when a key is given twice. */
export function createKeyRing(newest: Uint8Array, previous: readonly Uint8Array[] = []): KeyRing {
  const ring: KeyRing = [masterKey(newest), ...previous.map(masterKey)]
  if (new Set(ring.map(({ id }) => id)).size < ring.length) throw new Error('A data key is given twice')
  return ring
}

function masterKey(secret: Uint8Array): MasterKey {
  const derive = (purpose: string) => new Uint8Array(hkdfSync('sha256', secret, '', purpose, keyBytes))
  const id = createHash('sha256').update(derive('id')).digest('hex').slice(0, 8)
  return {
    id,
    wrapping: derive('wrapping'),
    lookup: derive('lookup'),
    contacts: derive('contacts'),
    nonces: derive('nonces of contacts'),
  }
}

/**
 * Encrypts a text under a data key of its own. Returns both, with the data key wrapped by the newest key of the
 * operator, whose id is KEY: `sealed-1.KEY.WRAPPED.TEXT`.
 */
export function seal([newest]: KeyRing, place: SealedPlace, text: string): string {
  const dataKey = randomBytes(keyBytes)
  const content = encrypt(dataKey, boundTo(place), Buffer.from(text, 'utf8'))
  return [mark, newest.id, wrap(newest, dataKey), content.toString('base64url')].join('.')
}

/**
 * Whether a text has the form that `seal` writes. Values from before the encryption are phone numbers or JSON: never
 * this form.
 */
export function isSealed(text: string): boolean {
  return /^sealed-1\.[0-9a-f]{8}\.[\w-]+\.[\w-]+$/.test(text)
}

/**
 * Returns the text of a sealed value.
 *
 * @throws {UnknownDataKeyError} when the ring lacks the key of the value.
 * @throws when the value was changed, or comes from another place.
 */
export function unseal(ring: KeyRing, place: SealedPlace, sealed: string): string {
  const { master, wrapped, content } = split(ring, sealed)
  const dataKey = unwrap(master, wrapped)
  return decrypt(dataKey, boundTo(place), Buffer.from(content, 'base64url')).toString('utf8')
}

/**
 * Returns the value with its data key wrapped by the newest key. Its content stays as it is and is not checked.
 *
 * @throws {UnknownDataKeyError} when the ring lacks the key of the value.
 * @throws when the wrapped data key was changed.
 */
export function rewrap(ring: KeyRing, sealed: string): string {
  const { master, wrapped, content } = split(ring, sealed)
  return [mark, ring[0].id, wrap(ring[0], unwrap(master, wrapped)), content].join('.')
}

/** The beginning of each value that needs no `rewrap`. */
export function newestPrefix([newest]: KeyRing): string {
  return `${mark}.${newest.id}.`
}

/** The keys under which `keyedHash` makes a value comparable: first the newest, under which new values are stored. */
export function lookupKeys(ring: KeyRing): Uint8Array[] {
  return ring.map(({ lookup }) => lookup)
}

function split(ring: KeyRing, sealed: string) {
  const [, id = '', wrapped = '', content = ''] = sealed.split('.')
  return { master: masterOf(ring, id), wrapped, content }
}

function masterOf(ring: KeyRing, id: string): MasterKey {
  const master = ring.find(key => key.id === id)
  if (master === undefined)
    throw new UnknownDataKeyError(
      `The database has values under the key with the id ${id}. Neither DATA_KEY nor DATA_KEYS_PREVIOUS has this key. Add the key to DATA_KEYS_PREVIOUS, and start again.`,
    )
  return master
}

const boundTo = ({ column, row }: SealedPlace) => JSON.stringify([mark, column, row])
const wrapPurpose = JSON.stringify([mark, 'data key'])

function wrap({ wrapping }: MasterKey, dataKey: Uint8Array): string {
  return encrypt(wrapping, wrapPurpose, dataKey).toString('base64url')
}

function unwrap({ wrapping }: MasterKey, wrapped: string): Buffer {
  return decrypt(wrapping, wrapPurpose, Buffer.from(wrapped, 'base64url'))
}

/**
 * Unless `nonce` is given, it is random: a data key encrypts once, and a wrapping key far fewer than 2^32 data keys. Returns
 * nonce, ciphertext and tag.
 */
function encrypt(
  key: Uint8Array,
  about: string,
  content: Uint8Array,
  nonce: Uint8Array = randomBytes(nonceBytes),
): Buffer {
  const cipher = createCipheriv(cipherName, key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(Buffer.from(about, 'utf8'))
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()])
}

function decrypt(key: Uint8Array, about: string, sealed: Buffer): Buffer {
  const decipher = createDecipheriv(cipherName, key, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAAD(Buffer.from(about, 'utf8'))
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()])
}

const contactMark = 'contact-1'

/**
 * Encrypts a contact so that under one key the same contact is always the same text: the nonce is a keyed hash of the contact.
 * So a reader of the tables sees which rows have the same contact, and how long it is.
 */
export function sealContact({ id, contacts, nonces }: MasterKey, contact: string): string {
  const nonce = createHmac('sha256', nonces).update(contact).digest().subarray(0, nonceBytes)
  return `${contactMark}.${id}.${encrypt(contacts, contactMark, Buffer.from(contact, 'utf8'), nonce).toString('base64url')}`
}

/** No contact looks like that: an e-mail address has an @. */
export function isSealedContact(text: string): boolean {
  return /^contact-1\.[0-9a-f]{8}\.[\w-]+$/.test(text)
}

/** The beginning of each contact that is encrypted under the newest key. */
export function newestContactPrefix([newest]: KeyRing): string {
  return `${contactMark}.${newest.id}.`
}

/** Returns the contact. @throws as `unseal`, except that a contact may come from another row. */
export function openContact(ring: KeyRing, sealed: string): string {
  const [, id = '', content = ''] = sealed.split('.')
  return decrypt(masterOf(ring, id).contacts, contactMark, Buffer.from(content, 'base64url')).toString('utf8')
}
