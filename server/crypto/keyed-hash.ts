import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Returns the base64url HMAC-SHA256 of the parts. For values short enough to guess, such as one-time codes and network
 * addresses, and for secrets that the server derives from a key.
 */
export function keyedHash(key: Uint8Array, ...parts: string[]): string {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url')
}

/** Returns the base64url SHA-256. For random values that cannot be guessed, such as refresh tokens. */
export function plainHash(value: string): string {
  return createHash('sha256').update(value).digest('base64url')
}

/** Compares two hashes of the same kind in a time that does not reveal where they differ. */
export function sameHash(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}
