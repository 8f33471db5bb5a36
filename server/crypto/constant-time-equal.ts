import { createHash, timingSafeEqual } from 'node:crypto'

/**
 * Compares a secret or a signature with a text that a caller has sent. The time does not reveal where the two texts differ,
 * so that an attacker cannot find a signature one character at a time.
 */
export function isEqualConstantTime(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other))
}

/** A digest, because `timingSafeEqual` compares only values of equal length. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
