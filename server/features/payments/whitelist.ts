import { type Kysely, sql } from 'kysely'
import type { Configuration } from '#server/config/config.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Caller } from '#server/calls/call.ts'

/**
 * Whether a verified contact of the applicant paid in the old system (PAY31) and that payment is still unused. It pays
 * for one application.
 */
export async function isWhitelisted(
  { db, config }: { db: Kysely<Schema>; config: Pick<Configuration, 'paymentMethods'> },
  { applicantId, msisdn, email }: Pick<Caller, 'applicantId' | 'msisdn' | 'email'>,
): Promise<boolean> {
  if (!config.paymentMethods.includes('WHITELIST')) return false
  const { rows } = await sql<{ entitled: boolean }>`
    select exists (
      select from whitelist
      where (kind, lower(value)) in (
        select kind, lower(value) from contact where applicant_id = ${applicantId}
        union all values ('phone', ${msisdn}::text), ('email', lower(${email}::text)))
    ) and not exists (
      select from payment join application on application.id = payment.application_id
      where application.applicant_id = ${applicantId} and method = 'WHITELIST' and status = 'SUCCESS'
    ) as entitled`.execute(db)
  return rows[0]?.entitled === true
}
