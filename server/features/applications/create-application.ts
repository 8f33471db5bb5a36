import { type Kysely, type RawBuilder, sql } from 'kysely'
import { homeTimeZone } from '#contract/codes.ts'
import { dayIn } from '#contract/dates.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Refusal } from '#server/calls/call.ts'
import { refuseForSeconds } from '#server/calls/rate-limit.ts'
import type { TransactionServices } from '#server/calls/services.ts'
import { applicationNumber } from './application-number.ts'

type Created = { id: string; number: string }
/** `isNew`: this call has created the application. */
type OpenApplication = Created & { isNew: boolean }

/**
 * How many applications an applicant may begin and delete within 24 hours: a deleted one stays in the applicant's list of
 * applications, and in the data of the account (D121).
 */
const maxDeletedPerDay = 10
/** An applicant whom the limit stops is not told to wait longer than this. */
const maxWaitSeconds = 3_600

/**
 * Returns the applicant's open application, or creates one (API07). A unique index allows one open application, so
 * simultaneous calls all get the same application. Refuses when the applicant has begun and deleted too many within 24 hours.
 *
 * @throws after five attempts, when other calls keep creating an open application and closing it (by a payment or a
 * deletion) in between. Also when the applicant does not exist.
 */
export async function createApplication(
  services: TransactionServices,
  applicantId: string,
): Promise<OpenApplication | Refusal> {
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const existing = await findOpen(services.db, applicantId)
    if (existing) return { ...existing, isNew: false }
    const created = await insertApplication(services, applicantId)
    if (created) return { ...created, isNew: true }
    const seconds = await secondsToNext(services.db, applicantId)
    if (seconds > 0) return refuseForSeconds(seconds)
  }
  throw new Error('Five attempts neither found nor created an open application of this applicant')
}

function findOpen(db: Kysely<Schema>, applicantId: string): Promise<Created | undefined> {
  return db
    .selectFrom('application')
    .select(['id', 'number'])
    .where('applicant_id', '=', applicantId)
    .where('state', 'in', ['NEW', 'DATA_SAVED'])
    .executeTakeFirst()
}

/**
 * Undefined when another call has created the open application first, the limit forbids one, or the applicant does not
 * exist. The first check of the limit is before `nextval`, so that refused calls use no numbers; the second one is for
 * a deletion since then.
 */
async function insertApplication(
  { db, clock }: TransactionServices,
  applicantId: string,
): Promise<Created | undefined> {
  const year = dayIn(homeTimeZone, clock.now()).slice(0, 4)
  const isAllowed = sql`(select count(*) from application where ${deletedOfDay(applicantId)}) < ${maxDeletedPerDay}::integer`
  const { rows } = await sql<{ next: number | string }>`
    select nextval('application_number_seq') as next where ${isAllowed}`.execute(db)
  if (rows[0] === undefined) return undefined
  const number = applicationNumber(year, Number(rows[0].next))
  const inserted = await sql<Created>`
    insert into application (applicant_id, number, language)
    select id, ${number}, language from applicant where id = ${applicantId}
      and ${isAllowed}
    on conflict (applicant_id) where state in ('NEW', 'DATA_SAVED') do nothing
    returning id, number`.execute(db)
  return inserted.rows[0]
}

function deletedOfDay(applicantId: string): RawBuilder<unknown> {
  return sql`applicant_id = ${applicantId} and state = 'DELETED' and created_at > now() - interval '1 day'`
}

/** Returns the seconds until the limit allows another application, at most `maxWaitSeconds`; 0: now. */
async function secondsToNext(db: Kysely<Schema>, applicantId: string): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from created_at + interval '1 day' - now()))::integer as seconds
    from application where ${deletedOfDay(applicantId)}
    order by created_at desc limit 1 offset ${maxDeletedPerDay - 1}::integer`.execute(db)
  return Math.min(maxWaitSeconds, Math.max(0, rows[0]?.seconds ?? 0))
}
