import { createHash, timingSafeEqual } from 'node:crypto'

/** Compares two texts in a time that does not reveal where they differ, so that an attacker cannot guess a signature. */
export function isEqualConstantTime(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other))
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
