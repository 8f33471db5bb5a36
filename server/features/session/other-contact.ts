import type { Kysely } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { type Contact, readContact } from './contact.ts'

/** The other contact of whoever has this one (F5); one without a value when there is none. */
export async function findOtherContact(trx: Kysely<Schema>, contact: Contact): Promise<Contact> {
  const found = await trx
    .selectFrom('contact as typed')
    .innerJoin('contact as other', 'other.applicant_id', 'typed.applicant_id')
    .select('other.value')
    .where('typed.kind', '=', contact.kind)
    .where('typed.value', '=', contact.value)
    .whereRef('other.kind', '<>', 'typed.kind')
    .executeTakeFirst()
  return makeOtherContact(contact, found?.value) ?? noOtherContact(contact)
}

/** A contact of the other kind, by its value as it is kept. */
export function makeOtherContact({ kind }: Contact, value: string | undefined): Contact | undefined {
  if (value === undefined) return undefined
  return readContact(kind === 'phone' ? { msisdn: '', email: value } : { msisdn: value, email: '' })
}

function noOtherContact({ kind }: Contact): Contact {
  return { kind: kind === 'phone' ? 'email' : 'phone', value: '', address: '', dialCode: '' }
}
