import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** A hash that only the holder of the key can make: for what is short enough to be tried out. */
export function keyedHash(key: Uint8Array, ...parts: string[]): string {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url')
}

/** For what is too random to be tried out: tokens, marks. */
export function plainHash(value: string): string {
  return createHash('sha256').update(value).digest('base64url')
}

/** In a time that does not tell where they differ. */
export function sameHash(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}
