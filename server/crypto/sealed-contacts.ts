import {
  isSealedContact,
  type KeyRing,
  openContact,
  seal,
  sealContact,
  type SealedPlace,
} from './sealed-values.ts'

/** How contacts and messages are stored: `isStarted` says whether new ones are encrypted (D71). */
export function createContactCipher(keys: { ring: KeyRing; isStarted: boolean }) {
  return {
    store: (contact: string): string =>
      contact === '' || !keys.isStarted ? contact : sealContact(keys.ring[0], contact),
    storedForms: (contact: string): string[] =>
      contact === '' ? [''] : [...keys.ring.map(key => sealContact(key, contact)), contact],
    open: (stored: string): string => (isSealedContact(stored) ? openContact(keys.ring, stored) : stored),
    seal: (place: SealedPlace, text: string): string =>
      keys.isStarted ? seal(keys.ring, place, text) : text,
  }
}
