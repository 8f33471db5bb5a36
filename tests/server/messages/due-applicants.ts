import { sql } from 'kysely'
import { firstPassport } from '#support/data/applicants.ts'
import { openMigratedDatabase, type TestDatabase } from '#support/servers/test-databases.ts'

/** 09:00 in Douala. */
export const now = new Date('2026-11-23T08:00:00Z')

/** Opens a PostgreSQL database with one office, for processes that send warnings and reminders. */
export async function openReminderDatabase(): Promise<TestDatabase> {
  const database = await openMigratedDatabase('postgresql')
  const { db } = database
  await sql`insert into city (id, country_id, name_fr, name_en) values (1, 10998, 'Yaoundé', 'Yaoundé')`.execute(
    db,
  )
  await sql`insert into office (id, city_id, country_id, name_fr, name_en, time_zone)
    values (1, 1, 10998, 'Bureau', 'Office', 'Africa/Douala')`.execute(db)
  return database
}

/**
 * Deletes all applicants and messages. Then creates `applicantsOfEachKind` applicants to warn of the deletion of their
 * application, and as many with an appointment tomorrow. Returns the keys of the messages that are due, sorted.
 */
export async function insertDueApplicants(
  { db }: TestDatabase,
  applicantsOfEachKind: number,
): Promise<string[]> {
  await sql`truncate applicant, outbox cascade`.execute(db)
  const form = JSON.stringify(firstPassport)
  await sql`insert into applicant (id) select gen_random_uuid() from generate_series(1, ${applicantsOfEachKind * 2})`.execute(
    db,
  )
  await sql`insert into contact (kind, value, applicant_id)
    select kind, case kind when 'phone' then '2376' || (10000000 + number) else number || '@example.cm' end, id
    from (select id, row_number() over () as number from applicant) as numbered, unnest(array['phone', 'email']) as kind`.execute(
    db,
  )
  await sql`insert into application (applicant_id, number, state, data, created_at)
    select id, 'PP-' || row_number() over (), 'DATA_SAVED', ${form}::jsonb,
      ${now}::timestamptz - interval '20 days' from applicant`.execute(db)
  await sql`with booked as (
      update application set state = 'APPOINTMENT_SCHEDULED', appointment_id = gen_random_uuid()
      where substr(number, 4)::integer <= ${applicantsOfEachKind} returning id, appointment_id)
    insert into appointment (id, application_id, office_id, starts_at, state, confirmed_at)
    select appointment_id, id, 1, '2026-11-24 08:30', 'CONFIRMED', ${now}::timestamptz - interval '3 days'
    from booked`.execute(db)
  const { rows } = await sql<{ id: string; appointment_id: string | null }>`
    select id, appointment_id from application`.execute(db)
  return rows
    .flatMap(({ id, appointment_id }) => {
      const cause = appointment_id === null ? `deletion:${id}:2026-12-07:14` : `reminder:1:${appointment_id}`
      return [`${cause}:sms`, `${cause}:email`]
    })
    .toSorted()
}

/** Expires the claims of a killed process, and makes every message due that was not sent. */
export async function expireClaims({ db }: TestDatabase): Promise<void> {
  await sql`update outbox set next_at = now(), claimed_until = null where sent_at is null`.execute(db)
}
