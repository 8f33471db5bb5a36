import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares in a time that tells nothing of where two texts differ. */
export function isEqualConstantTime(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other))
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
