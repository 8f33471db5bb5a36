import { randomUUID } from 'node:crypto'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { ApplicationState } from '#contract/states.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Opening } from '#server/features/offices/calendar.ts'
import type { FoundOffice } from '#server/features/offices/find-office.ts'
import { isToCome } from '#server/features/offices/taken-places.ts'
import { type HoldOutcome, type HoldResult, holdResult } from './hold-rule.ts'

export type HoldRequest = {
  applicationId: string
  applicantId: string
  /** The states in which the application may have a reservation. */
  states: readonly ApplicationState[]
  office: FoundOffice
  /** Office-local, `2026-12-01T09:30:00`; null for the general queue. */
  startsAt: string | null
  /**
   * The opening that offers the time; undefined for the general queue. Seats beyond its capacity, from a larger capacity
   * earlier, are not reserved.
   */
  opening: Opening | undefined
  holdSeconds: number
  /** A place that is given up, or not confirmed in time, stays closed to others for a random time, at most this long. */
  freedPlaceSeconds: number
  /** Id of the appointment that this reservation would replace. */
  replaces: string | undefined
  /** How many changes an application may use; read only when this reservation replaces an appointment. */
  changeLimit: number
}

/**
 * Reserves a free place of the slot for an application and ends its previous reservation, in one statement (D41). A
 * place is one row, so it has one holder. A reservation ends by its own date, without a job. `skip locked` lets
 * bookings of one slot run in parallel. An index allows one reservation per application.
 *
 * Without a free place the statement locks no row and waits for none, so the losers of a release day are answered at
 * once (D104). With one, it looks for the place again under the lock of the application.
 *
 * If the application already has this reservation, with the same `replaces`, the statement writes nothing and returns
 * `full`; the caller then reads the existing reservation.
 *
 * @throws a unique violation when another call for the same application made its reservation first.
 */
export async function holdPlace(db: Kysely<Schema>, request: HoldRequest): Promise<HoldResult> {
  return holdResult(await runHoldStatement(db, request))
}

/**
 * Returns a query that locks nothing (D118). It has a row when the office offers the time, all places of the slot exist and
 * none is free for this applicant, and the application may have a reservation and does not hold this slot already.
 */
export function fullSlotQuery(request: HoldRequest): RawBuilder<unknown> {
  const { applicationId, applicantId, states, office, startsAt, opening } = request
  return sql`
    with slot as (
      select id, office_id, starts_at from slot
      where office_id = ${office.id} and starts_at = ${startsAt}::timestamp)
    select from application, slot
    where application.id = ${applicationId} and application.applicant_id = ${applicantId}
      and application.state = any(${states})
      and exists (${offeredQuery(request)})
      and not exists (${availableQuery(request)})
      and (select count(*) from place where place.slot_id = slot.id) >= ${opening?.capacity ?? 0}
      and not exists (
        select from appointment
        where appointment.application_id = application.id and appointment.state = 'HELD'
          and appointment.held_until > now() and appointment.office_id = slot.office_id
          and appointment.starts_at = slot.starts_at)`
}

// `count(*) >= 0` is always true: it makes the database end the previous reservation before it inserts the new one.
async function runHoldStatement(db: Kysely<Schema>, request: HoldRequest): Promise<HoldOutcome | undefined> {
  const { applicationId, applicantId, states, office, startsAt, holdSeconds, freedPlaceSeconds } = request
  const officeId = office.id
  const { rows } = await sql<HoldOutcome>`
    with offered as (${offeredQuery(request)}),
    slot as (
      select id from slot where office_id = ${officeId} and starts_at = ${startsAt}::timestamp),
    available as (${startsAt === null ? sql`select` : availableQuery(request)}),
    own as (
      select id, applicant_id from application
      where id = ${applicationId} and applicant_id = ${applicantId} and state = any(${states})
        and exists (select from offered) and exists (select from available) and ${mayReplaceQuery(request)}
      for update),
    before as (
      select appointment.id, appointment.held_until > now() as live, appointment.held_until > now()
        and appointment.office_id = ${officeId} and appointment.starts_at is not distinct from ${startsAt}::timestamp
        and appointment.replaces is not distinct from ${request.replaces ?? null}::uuid as same
      from appointment join own on own.id = appointment.application_id
      where appointment.state = 'HELD'
      for update of appointment),
    free as (${startsAt === null ? generalQueueQuery : freePlaceQuery(request)}),
    ended as (
      update appointment set state = case when before.live then 'CANCELED' else 'EXPIRED' end, held_until = null
      from before, free
      where appointment.id = before.id and appointment.state = 'HELD'
      returning appointment.id),
    opened as (
      insert into appointment (id, application_id, office_id, starts_at, general_queue, state, held_until, replaces)
      select ${randomUUID()}::uuid, own.id, ${officeId}, ${startsAt}::timestamp,
        ${startsAt === null}::boolean, 'HELD', now() + ${holdSeconds} * interval '1 second',
        ${request.replaces ?? null}::uuid
      from own, free
      where (select count(*) from ended) >= 0
      returning id, held_until),
    taken as (
      update place set appointment_id = opened.id, held_until = opened.held_until,
        free_from = opened.held_until + random() * ${freedPlaceSeconds} * interval '1 second',
        applicant_id = ${applicantId}::uuid
      from free, opened
      where place.slot_id = free.slot_id and place.seat = free.seat),
    released as (
      update place set appointment_id = null, held_until = null,
        free_from = now() + random() * ${freedPlaceSeconds} * interval '1 second'
      from before, opened
      where place.appointment_id = before.id and before.live and place.held_until is not null),
    expired as (
      update appointment set state = 'EXPIRED', held_until = null
      where id = (
        select appointment.id from appointment, free
        where appointment.id = free.appointment_id and appointment.state = 'HELD'
          and appointment.application_id <> ${applicationId}::uuid
        for update of appointment skip locked))
    select (select id from opened) as id, exists (select from offered) as offered,
      exists (select from available) as available, exists (select from own) as allowed,
      case when not exists (select from opened)
        then (select count(*) from place join slot on slot.id = place.slot_id) end as seats`.execute(db)
  return rows[0]
}

/**
 * Checks in the statement that reserves a change that the application still has the appointment and a change left
 * (D43): another request may have confirmed a change since the first check. Reads columns of the locked row only,
 * because PostgreSQL does not read other tables again after a wait for the lock.
 */
function mayReplaceQuery({ replaces, changeLimit }: HoldRequest) {
  if (replaces === undefined) return sql`true`
  return sql`appointment_id = ${replaces}::uuid and changes_used < ${changeLimit}`
}

/**
 * For a request with a time, returns a row only when the office and the opening in the tables still equal those of the
 * request, so that a cached calendar cannot book a time that the office no longer offers, nor a day that was closed since.
 * For the general queue, always returns a row.
 */
function offeredQuery({ office: { id, calendar }, startsAt, opening }: HoldRequest) {
  if (startsAt === null || opening === undefined) return sql`select`
  const { weekday, opens, closes, slotMinutes, capacity } = opening
  return sql`
    select from office
    where id = ${id} and active and time_zone = ${calendar.timeZone} and horizon_days = ${calendar.horizonDays}
      and exists (
        select from opening
        where office_id = ${id} and weekday = ${weekday} and opens = ${opens}::time
          and closes = ${closes}::time and slot_minutes = ${slotMinutes} and capacity = ${capacity})
      and not exists (select from closed_day where office_id = ${id} and day = ${startsAt.slice(0, 10)}::date)`
}

/** Whether the slot has a free place, without a lock. The query around it must define `slot` as the wanted one. */
function availableQuery(request: HoldRequest) {
  return sql`select from place join slot on slot.id = place.slot_id where ${isFreeQuery(request)} limit 1`
}

function freePlaceQuery(request: HoldRequest) {
  return sql`
    select place.slot_id, place.seat, place.appointment_id
    from place join slot on slot.id = place.slot_id
    where exists (select from own) and not exists (select from before where same) and ${isFreeQuery(request)}
    order by place.seat limit 1
    for update of place skip locked`
}

/**
 * Until `free_from` only the applicant who had the place may reserve it again. A booked place has no `held_until`: SQL then
 * gives null for the second line, so the place is not free.
 */
function isFreeQuery({ opening, applicantId }: HoldRequest) {
  return sql`place.seat <= ${opening?.capacity ?? 0}
      and (place.appointment_id is null or not ${isToCome('held_until')})
      and (place.free_from is null or not ${isToCome('free_from')} or place.applicant_id = ${applicantId}::uuid)`
}

const generalQueueQuery = sql`select null::bigint as slot_id, null::smallint as seat, null::uuid as appointment_id
  from own where not exists (select from before where same)`
