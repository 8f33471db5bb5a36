import {
  isSealedContact,
  type KeyRing,
  openContact,
  seal,
  sealContact,
  type SealedPlace,
} from './sealed-values.ts'

/** Encrypts personal data for the database (D71). Until the encryption has started, texts are stored as they are. */
export function createDataCipher(keys: { ring: KeyRing; isStarted: boolean }) {
  return {
    storeContact: (contact: string): string =>
      contact === '' || !keys.isStarted ? contact : sealContact(keys.ring[0], contact),
    /** Every text under which a row may have this contact: one for each key, and the plain text. */
    storedFormsOf: (contact: string): string[] =>
      contact === '' ? [''] : [...keys.ring.map(key => sealContact(key, contact)), contact],
    openContact: (stored: string): string =>
      isSealedContact(stored) ? openContact(keys.ring, stored) : stored,
    seal: (place: SealedPlace, text: string): string =>
      keys.isStarted ? seal(keys.ring, place, text) : text,
  }
}
