import { type Kysely, sql, type Transaction } from 'kysely'
import type { Configuration } from '#server/config/config.ts'
import type { Secrets } from '#server/config/secrets.ts'
import { hiddenContact } from '#server/crypto/hidden-contact.ts'
import { storedContactsLower } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Caller } from '#server/calls/call.ts'

type PastPayer = Pick<Caller, 'applicantId' | 'msisdn' | 'email'>
type WhitelistParts = { config: Pick<Configuration, 'paymentMethods'>; secrets: Pick<Secrets, 'codeKey'> }

/**
 * Whether a verified contact of the applicant paid in the old system (PAY31) and that payment is still unused. Such a
 * payment pays for one application, and an account that has used one gets no second one.
 */
export async function isWhitelisted(
  { db, config, secrets }: WhitelistParts & { db: Kysely<Schema> },
  payer: PastPayer,
): Promise<boolean> {
  if (!config.paymentMethods.includes('WHITELIST')) return false
  const { rows } = await sql<{ entitled: boolean }>`
    select exists (select from whitelist where ${isUnusedEntryOf(payer, secrets)}) and not ${hasUsedEntry(payer)} as entitled`.execute(
    db,
  )
  return rows[0]?.entitled === true
}

/**
 * Marks each entry that has a contact of the applicant as used, also in its rows of other contacts: an entry is one
 * payment. Locks the entries, so that of two applicants with contacts of the same entry only one gets the payment.
 * Returns false when there is no unused entry, or when the account has used one before.
 */
export async function useWhitelist(
  trx: Transaction<Schema>,
  { config, secrets }: WhitelistParts,
  payer: PastPayer,
): Promise<boolean> {
  if (!config.paymentMethods.includes('WHITELIST')) return false
  const { rows } = await sql`
    with unused as (
      select kind, value from whitelist
      where used_at is null and entry in (select entry from whitelist where ${isUnusedEntryOf(payer, secrets)})
        and not ${hasUsedEntry(payer)}
      order by kind, value
      for update)
    update whitelist set used_at = now()
    from unused
    where whitelist.kind = unused.kind and whitelist.value = unused.value
    returning whitelist.kind`.execute(trx)
  return rows.length > 0
}

/** An entry of a deleted account has hidden contacts, which the same person may prove again (D112). */
function isUnusedEntryOf({ applicantId, msisdn, email }: PastPayer, { codeKey }: Pick<Secrets, 'codeKey'>) {
  const hidden = {
    phone: hiddenContact(codeKey, { kind: 'phone', value: msisdn }),
    email: hiddenContact(codeKey, { kind: 'email', value: email }),
  }
  return sql`used_at is null and (kind, lower(value)) in (
    select kind, lower(value) from contact where applicant_id = ${applicantId}
    union all select 'phone', unnest(${storedContactsLower(msisdn)})
    union all select 'email', unnest(${storedContactsLower(email.toLowerCase())})
    union all values ('phone', ${hidden.phone}::text), ('email', ${hidden.email}::text))`
}

function hasUsedEntry({ applicantId }: PastPayer) {
  return sql`exists (
    select from payment join application on application.id = payment.application_id
    where application.applicant_id = ${applicantId} and method = 'WHITELIST' and status = 'SUCCESS')`
}
