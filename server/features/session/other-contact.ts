import type { Kysely } from 'kysely'
import { type ContactKind, otherKind } from '#contract/account.ts'
import { columnIsContact } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import { type Contact, readContact } from './contact.ts'

/**
 * Returns the applicant's other contact (F5). It has an empty `value` and `address` when there is none, or when the stored one
 * is no longer valid.
 */
export async function findOtherContact(trx: Kysely<Schema>, contact: Contact): Promise<Contact> {
  const found = await trx
    .selectFrom('contact as typed')
    .innerJoin('contact as other', 'other.applicant_id', 'typed.applicant_id')
    .select('other.value')
    .where('typed.kind', '=', contact.kind)
    .where(columnIsContact('typed.value', contact.value))
    .whereRef('other.kind', '<>', 'typed.kind')
    .executeTakeFirst()
  return makeOtherContact(contact, found?.value) ?? noOtherContact(contact)
}

/**
 * Converts a stored value to a contact of the other kind. Undefined without a value or when the value is no longer valid.
 * `value` stays as it is stored: the normalised value may be the contact of another account.
 */
export function makeOtherContact({ kind }: Contact, value: string | undefined): Contact | undefined {
  return value === undefined ? undefined : readStoredContact({ kind: otherKind(kind), value })
}

/** Undefined when the stored value is no longer valid. `value` stays as it is stored, see `makeOtherContact`. */
export function readStoredContact({ kind, value }: Pick<Contact, 'kind' | 'value'>): Contact | undefined {
  const read = readContact(kind === 'phone' ? { msisdn: value, email: '' } : { msisdn: '', email: value })
  return read && { ...read, value }
}

/**
 * Which kind of contact a code verifies. `sent_to`: the other contact that got the code; null when the typed contact got it,
 * or no contact did, for example because the account has no other one.
 */
export function verifiedKind({ kind, sent_to }: { kind: ContactKind; sent_to: string | null }): ContactKind {
  return sent_to === null ? kind : otherKind(kind)
}

function noOtherContact({ kind }: Contact): Contact {
  return { kind: otherKind(kind), value: '', address: '', dialCode: '' }
}

/**
 * How the metrics count a code. A code by the other channel counts without a country code, because the applicant has not
 * entered the contact that gets it.
 */
export function codeLabelsOf(
  typed: Pick<Contact, 'kind' | 'dialCode'>,
  otherChannel: boolean,
): { channel: 'sms' | 'email'; dial_code: string } {
  const isPhone = (typed.kind === 'phone') !== otherChannel
  return { channel: isPhone ? 'sms' : 'email', dial_code: otherChannel ? '' : typed.dialCode }
}
