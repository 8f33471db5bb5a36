import { keyedHash } from './keyed-hash.ts'

/**
 * Returns what the whitelist keeps of a contact whose account is deleted: the server finds the entry again only by the
 * contact, after the same person has signed in again, or when an operator loads the same file (D112). All in lower
 * case, because the whitelist compares contacts in lower case.
 */
export function hiddenContact(key: Uint8Array, { kind, value }: { kind: string; value: string }): string {
  return `#${keyedHash(key, 'whitelist', kind, value.toLowerCase())}`.toLowerCase()
}

/** Whether `hiddenContact` made the text. An e-mail address has an @, and a phone number has only digits. */
export function isHiddenContact(value: string): boolean {
  return value.startsWith('#') && !value.includes('@')
}
