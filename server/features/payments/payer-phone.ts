import type { Kysely } from 'kysely'
import { fromStored, underNewestKey, toStored, type WithDataKeys } from '#server/config/data-keys.ts'
import { keyedHash } from '#server/crypto/keyed-hash.ts'
import { lookupKeys, type SealedPlace } from '#server/crypto/sealed-values.ts'
import type { Schema } from '#server/database/schema.ts'

/**
 * Returns the phone number that pays; '' when the order has none. The encryption of the phone is bound to the number of
 * the order, because the order outlives the account (D112).
 */
export function decryptPhone(keys: WithDataKeys, order: { order_id: string; phone: string }): string {
  return fromStored(keys, placeOf(order.order_id), order.phone)
}

/** Returns both columns for the phone number that pays. By the hash the server finds other orders with this number. */
export async function storedPhone(
  services: WithDataKeys & { db: Kysely<Schema> },
  orderId: string,
  phone: string,
): Promise<{ phone: string; phone_hash: string | null }> {
  if (phone === '') return { phone, phone_hash: null }
  const [hash = null] = phoneHashes(services, phone)
  return { phone: await toStored(services, placeOf(orderId), phone), phone_hash: hash }
}

/** The hashes under which orders of this number can be stored: one for each key, the newest first. */
export function phoneHashes({ secrets }: WithDataKeys, phone: string): string[] {
  return lookupKeys(secrets.dataKeys.ring).map(key => keyedHash(key, 'payer', normalisePayerPhone(phone)))
}

/**
 * Returns the same text for one mobile number of Cameroon with and without its country code: some providers accept both
 * forms, so the limits for one number must count both. The country code may be there twice: the server removes one
 * before it sends a number to Orange Money (orange-money.ts), so such a number reaches the same wallet.
 */
export function normalisePayerPhone(phone: string): string {
  return phone.replace(/^(?:0|237)*(?=6\d{8}$)/, '237')
}

/** Returns both columns under the newest key; undefined when the phone is under this key already, or empty. */
export function phoneUnderNewestKey(
  keys: WithDataKeys,
  order: { order_id: string; phone: string },
): { phone: string; phone_hash: string | null } | undefined {
  const phone = underNewestKey(keys, placeOf(order.order_id), order.phone)
  if (phone === undefined) return undefined
  const [hash = null] = phoneHashes(keys, decryptPhone(keys, order))
  return { phone, phone_hash: hash }
}

const placeOf = (orderId: string): SealedPlace => ({ column: 'payment.phone', row: orderId })
