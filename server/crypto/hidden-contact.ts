import { keyedHash } from './keyed-hash.ts'

/**
 * Returns what the whitelist keeps of a contact whose account is deleted: only somebody who knows the contact finds its
 * entry again (D112). All in lower case, because the whitelist compares contacts in lower case.
 */
export function hiddenContact(key: Uint8Array, { kind, value }: { kind: string; value: string }): string {
  return `#${keyedHash(key, 'whitelist', kind, value.toLowerCase())}`.toLowerCase()
}
