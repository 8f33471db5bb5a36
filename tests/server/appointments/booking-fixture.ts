import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { ApplicationState } from '#contract/states.ts'
import { connectDatabase } from '#server/database/connect.ts'
import type { Schema } from '#server/database/schema.ts'
import { cancel as cancelStep } from '#server/features/appointments/cancel.ts'
import { confirm as confirmStep } from '#server/features/appointments/confirm.ts'
import {
  reserve as reserveStep,
  reserveChange as reserveChangeStep,
} from '#server/features/appointments/reserve.ts'
import { retryOnConflict } from '#server/database/retry.ts'
import { type Services, type TransactionServices, withTransaction } from '#server/calls/services.ts'
import type { Caller } from '#server/calls/call.ts'
import { servicesOn } from '#support/servers/services-on.ts'
import { type DatabaseKind, openMigratedDatabase, poolTimeoutMs } from '#support/servers/test-databases.ts'
import { firstPassport } from '#support/data/applicants.ts'

export type BookingFixture = Awaited<ReturnType<typeof openBookingFixture>>
export type PaidApplicant = { caller: Caller; applicationId: string }

export const reserve = asLocalWrite(reserveStep)
export const reserveChange = asLocalWrite(reserveChangeStep)
export const confirm = asLocalWrite(confirmStep)
export const cancel = asLocalWrite(cancelStep)

/** Runs a step as a call does: in one transaction, and again after a lost race (D72). */
function asLocalWrite<Rest extends unknown[], Result>(
  step: (services: TransactionServices, ...rest: Rest) => Promise<Result>,
) {
  return (services: Services, ...rest: Rest): Promise<Result> =>
    retryOnConflict(() =>
      services.db.transaction().execute(trx => step(withTransaction(services, trx), ...rest)),
    )
}

/** Monday 23 November 2026, 08:00 in Douala. */
const monday = '2026-11-23T07:00:00Z'
export const slot = '2026-11-24T09:00:00'
export const laterSlot = '2026-11-25T09:30:00'

type Options = {
  kind?: DatabaseKind
  capacity?: number
  changeLimit?: number
  /** 0 by default: then every applicant can immediately book a freed place. */
  freedPlaceSeconds?: number
  /** Maximum number of connections to PostgreSQL. */
  poolSize?: number | undefined
}

/**
 * Opens a database with two offices; `createPaidApplicants` adds paid applications. Office 1 is open on weekdays from
 * 09:00 to 10:00 with two slots; office 2 has no opening.
 */
export async function openBookingFixture({ capacity = 2, ...options }: Options = {}) {
  const database = await openMigratedDatabase(options.kind ?? 'any')
  const pool = await openPool(database, options.poolSize)
  const clock = { time: new Date(monday) }
  const services = await servicesOn(pool.db, {
    clock: { now: () => clock.time },
    env: {
      CHANGE_LIMIT: String(options.changeLimit ?? 1),
      FREED_PLACE_SECONDS: String(options.freedPlaceSeconds ?? 0),
    },
  })
  await createOffices(pool.db, capacity)
  return {
    services,
    db: pool.db,
    label: database.label,
    clock,
    createPaidApplicants: (count: number) => createPaidApplications(pool.db, count),
    reserve: (paid: PaidApplicant, startsAt: string | null = slot, officeId = '1') =>
      reserve(services, {
        caller: paid.caller,
        language: 'en',
        applicationId: paid.applicationId,
        selection: { officeId, appointmentDate: startsAt },
      }),
    /** Lets a reservation expire in the table, because a test cannot advance the database's clock. */
    expire: (appointmentId: string) => expire(pool.db, appointmentId),
    async close() {
      await pool.close()
      await database.close()
    },
  }
}

/** Returns the database as it was opened, or, with `poolSize`, another pool of this size (only PostgreSQL). */
async function openPool(database: { db: Kysely<Schema>; databaseUrl: string }, poolSize: number | undefined) {
  if (poolSize === undefined) return { db: database.db, close: () => Promise.resolve() }
  return connectDatabase({
    databaseUrl: database.databaseUrl,
    dataDir: '',
    poolSize,
    timeoutMs: poolTimeoutMs,
  })
}

async function createOffices(db: Kysely<Schema>, capacity: number): Promise<void> {
  await db
    .insertInto('city')
    .values({ id: 1, country_id: 10_998, name_fr: 'Yaoundé', name_en: 'Yaoundé' })
    .execute()
  const office = { city_id: 1, country_id: 10_998, time_zone: 'Africa/Douala', horizon_days: 30 }
  await db
    .insertInto('office')
    .values([
      { ...office, id: 1, name_fr: 'Bureau', name_en: 'Office', address: 'Etoudi, Yaoundé' },
      { ...office, id: 2, name_fr: 'Bureau sans heures', name_en: 'Office without hours' },
    ])
    .execute()
  await db
    .insertInto('opening')
    .values(
      [1, 2, 3, 4, 5].map(weekday => ({
        office_id: 1,
        weekday,
        opens: '09:00',
        closes: '10:00',
        slot_minutes: 30,
        capacity,
      })),
    )
    .execute()
}

async function createPaidApplications(db: Kysely<Schema>, count: number): Promise<PaidApplicant[]> {
  const ids = Array.from({ length: count }, () => randomUUID())
  await sql`insert into applicant (id) select unnest(${ids}::uuid[])`.execute(db)
  const { rows } = await sql<{ id: string; applicant_id: string }>`
    insert into application (applicant_id, number, state, data, draft)
    select id, 'PP-' || nextval('application_number_seq'), 'PAYMENT_DONE',
      ${JSON.stringify(firstPassport)}::jsonb, false
    from unnest(${ids}::uuid[]) as id
    returning id, applicant_id`.execute(db)
  await sql`
    insert into contact (kind, value, applicant_id)
    select 'phone', '2376' || lpad(substr(number, 4), 8, '0'), applicant_id from application
    where applicant_id = any(${ids}::uuid[])`.execute(db)
  return rows.map(row => ({
    applicationId: row.id,
    caller: { applicantId: row.applicant_id, sessionId: '', msisdn: '237671234567', email: '' },
  }))
}

async function expire(db: Kysely<Schema>, appointmentId: string): Promise<void> {
  const past = sql<Date>`now() - interval '1 second'`
  await db
    .updateTable('appointment')
    .set({ held_until: past })
    .where('id', '=', appointmentId)
    .where('state', '=', 'HELD')
    .execute()
  await db
    .updateTable('place')
    .set({ held_until: past, free_from: past })
    .where('appointment_id', '=', appointmentId)
    .where('held_until', 'is not', null)
    .execute()
}

/** Returns the number of violations of each invariant of the calendar (D41); an empty object when all hold. */
export async function countViolations(db: Kysely<Schema>): Promise<Record<string, number>> {
  const { rows } = await sql<Record<string, number>>`
    with live as (
      select * from appointment
      where state = 'CONFIRMED' or (state = 'HELD' and held_until > now())),
    taken as (
      select * from place
      where appointment_id is not null and (held_until is null or held_until > now()))
    select
      (select count(*) from (select 1 from live group by application_id, (state = 'HELD') having count(*) > 1) as twice)
        as "applications with two of a kind",
      (select count(*) from live where starts_at is not null
        and not exists (select from taken where taken.appointment_id = live.id))
        as "appointments without a place",
      (select count(*) from taken
        where not exists (select from live where live.id = taken.appointment_id))
        as "places taken by nobody",
      (select count(*) from taken join live on live.id = taken.appointment_id
        where (taken.held_until is null) <> (live.state = 'CONFIRMED'))
        as "places booked but not confirmed, or the reverse",
      (select count(*) from live join taken on taken.appointment_id = live.id join slot on slot.id = taken.slot_id
        where (slot.office_id, slot.starts_at) is distinct from (live.office_id, live.starts_at))
        as "places of another slot",
      (select count(*) from (
        select 1 from live join opening on opening.office_id = live.office_id
          and opening.weekday = extract(isodow from live.starts_at)
          and live.starts_at::time >= opening.opens and live.starts_at::time < opening.closes
        group by live.office_id, live.starts_at, opening.capacity having count(*) > opening.capacity) as over)
        as "slots over capacity",
      (select count(*) from application
        where state in ('APPOINTMENT_SCHEDULED', 'APPOINTMENT_CHANGED') and not exists (
          select from live where live.id = application.appointment_id and live.state = 'CONFIRMED'))
        as "scheduled without an appointment"`.execute(db)
  return Object.fromEntries(Object.entries(rows[0] ?? {}).filter(([, count]) => count > 0))
}

export async function stateOf(
  db: Kysely<Schema>,
  { applicationId }: PaidApplicant,
): Promise<ApplicationState | undefined> {
  const row = await db
    .selectFrom('application')
    .select('state')
    .where('id', '=', applicationId)
    .executeTakeFirst()
  return row?.state
}
