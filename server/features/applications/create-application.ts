import { type Kysely, sql } from 'kysely'
import { homeTimeZone } from '#contract/codes.ts'
import { dayIn } from '#contract/dates.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Services } from '#server/calls/services.ts'
import { applicationNumber } from './application-number.ts'

type Created = { id: string; number: string }

/**
 * The open application, or a new one (API07). At most one is open by an index of the database, so twenty calls at
 * once get the same one.
 */
export async function createApplication(services: Services, applicantId: string): Promise<Created> {
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const application =
      (await findOpen(services.db, applicantId)) ?? (await insertApplication(services, applicantId))
    if (application) return application
  }
  throw new Error('An open application came and went five times while one was to be created')
}

function findOpen(db: Kysely<Schema>, applicantId: string): Promise<Created | undefined> {
  return db
    .selectFrom('application')
    .select(['id', 'number'])
    .where('applicant_id', '=', applicantId)
    .where('state', 'in', ['NEW', 'DATA_SAVED'])
    .executeTakeFirst()
}

/** Undefined when another call was faster. */
async function insertApplication({ db, clock }: Services, applicantId: string): Promise<Created | undefined> {
  const year = dayIn(homeTimeZone, clock.now()).slice(0, 4)
  const { rows } = await sql<{ next: number }>`select nextval('application_number_seq') as next`.execute(db)
  const number = applicationNumber(year, Number(rows[0]?.next))
  const inserted = await sql<Created>`
    insert into application (applicant_id, number, language)
    select id, ${number}, language from applicant where id = ${applicantId}
    on conflict (applicant_id) where state in ('NEW', 'DATA_SAVED') do nothing
    returning id, number`.execute(db)
  return inserted.rows[0]
}
