import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Returns the base64url HMAC-SHA256 of the parts. For values short enough to guess, such as codes and addresses. */
export function keyedHash(key: Uint8Array, ...parts: string[]): string {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url')
}

/** Returns the base64url SHA-256. For random values that cannot be guessed: tokens and browser cookies. */
export function plainHash(value: string): string {
  return createHash('sha256').update(value).digest('base64url')
}

/** Compares two hashes in a time that does not reveal where they differ. */
export function sameHash(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}
