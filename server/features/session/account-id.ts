import { keyedHash } from '#server/crypto/keyed-hash.ts'
import type { Contact } from './contact.ts'

/**
 * Returns the id of an account whose first contact is this one: a UUID that follows from the contact and `DRAFT_KEY`.
 * After a restore from a backup that is older than the account, the next sign-in with the contact creates the account
 * again with the same id; D133 has the exceptions. So the applicant gets the same secret again, and can open the
 * answers on the device. Without the key, the id does not reveal the contact.
 *
 * `count`: 0 for the first id of the contact; 1 for the next one, when an account has the first or had it within the
 * last year; and so on.
 */
export function idOfAccount(
  draftKey: Uint8Array,
  { kind, value }: Pick<Contact, 'kind' | 'value'>,
  count: number,
): string {
  const hash = keyedHash(draftKey, 'account', kind, value, String(count))
  const bytes = Buffer.from(hash, 'base64url').subarray(0, 16)
  // Version 8 of RFC 9562: a UUID whose bits the application chooses.
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
