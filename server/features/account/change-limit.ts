import { type Kysely, sql } from 'kysely'
import type { SecurityEventKind } from '#contract/account.ts'
import type { Services } from '#server/calls/services.ts'
import type { Schema } from '#server/database/schema.ts'
import { subjectOf } from '#server/features/session/security-events.ts'

/**
 * How many contacts an account may remove, and how often it may announce its deletion, within 24 hours together. No budget
 * holds back the messages about these, nor those about their undo (D109), and the code before may come by e-mail, which costs
 * nothing: without this limit an account could get as many SMS as it likes.
 */
const maxChangesPerDay = 5
const countedKinds: readonly SecurityEventKind[] = ['contact-removed', 'deletion-announced']

/** Returns the seconds until the account may make another such change; 0: now. The caller has locked the account. */
export async function secondsToNextChange(
  trx: Kysely<Schema>,
  services: Pick<Services, 'secrets'>,
  applicantId: string,
): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from at + interval '1 day' - now()))::integer as seconds
    from security_event
    where subject = ${subjectOf(services, { applicantId })} and kind = any (${[...countedKinds]}::text[])
      and at > now() - interval '1 day'
    order by at desc limit 1 offset ${maxChangesPerDay - 1}::integer`.execute(trx)
  return Math.max(0, rows[0]?.seconds ?? 0)
}
