import { createHash, timingSafeEqual } from 'node:crypto'

/**
 * Compares a secret or a signature with a text of any length that a caller has sent. The time does not reveal where they
 * differ, so that an attacker cannot find a signature one character at a time.
 */
export function isEqualConstantTime(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other))
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
