import { randomBytes } from 'node:crypto'

/** The digits and letters of Crockford's base 32, which leaves out I, L, O and U. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Returns random digits and letters that are easy to read aloud and to type. Each of them has 5 bits. */
export function randomCharacters(length: number): string {
  return charactersOf(randomBytes(length))
}

/** Returns one digit or letter for each byte, always the same for the same bytes. */
export function charactersOf(bytes: Uint8Array): string {
  return Array.from(bytes, byte => alphabet.charAt(byte % alphabet.length)).join('')
}
