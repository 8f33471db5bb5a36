import { type RawBuilder, sql } from 'kysely'
import { type DataCipher, EncryptedParameter } from './encryption-plugin.ts'

// The tables store contacts and messages encrypted (D71). Statements store them, and compare contacts, with the
// parameters of these functions: the code of a statement has no keys, and the plugin of the connection encrypts the
// values.

/** A parameter that stores a contact. */
export function contactValue(contact: string): RawBuilder<string> {
  return sql<string>`${new EncryptedParameter(cipher => cipher.storeContact(contact))}::text`
}

/** As `contactValue`, for a column that may be null. */
export function contactValueOrNull(contact: string | null): RawBuilder<string | null> {
  return sql<
    string | null
  >`${new EncryptedParameter(cipher => (contact === null ? null : cipher.storeContact(contact)))}::text`
}

/** A parameter of several contacts to store, as `text[]`. */
export function contactValues(contacts: readonly string[]): RawBuilder<string[]> {
  return sql<
    string[]
  >`${new EncryptedParameter(cipher => contacts.map(each => cipher.storeContact(each)))}::text[]`
}

/**
 * The texts under which contacts may be stored, as `text[]`: for each contact one under each key, and the plain text.
 * `value = any (…)` finds their rows.
 */
export function storedContacts(...contacts: readonly string[]): RawBuilder<string[]> {
  return sql<
    string[]
  >`${new EncryptedParameter(cipher => contacts.flatMap(each => cipher.storedFormsOf(each)))}::text[]`
}

/** As `storedContacts`, in lower case, for comparisons with `lower(…)` of a column: in the outbox and in the whitelist. */
export function storedContactsLower(...contacts: readonly string[]): RawBuilder<string[]> {
  return sql<string[]>`${new EncryptedParameter(cipher =>
    contacts.flatMap(each => cipher.storedFormsOf(each).map(form => form.toLowerCase())),
  )}::text[]`
}

/** SQL: whether a column has this contact, in any form in which it may be stored. */
export function columnIsContact(column: string, contact: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(column)} = any (${storedContacts(contact)})`
}

/** A parameter of JSON texts, as `jsonb[]`. `make` returns the texts, and calls `seal` for each part to encrypt. */
export function sealedJsonValues(make: (seal: DataCipher['seal']) => string[]): RawBuilder<string[]> {
  return sql<
    string[]
  >`${new EncryptedParameter(cipher => make((place, text) => cipher.seal(place, text)))}::jsonb[]`
}
