import { type Kysely, sql } from 'kysely'
import { statesBefore } from '#contract/states.ts'
import type { Schema } from '#server/database/schema.ts'

/** The states in which an applicant can book or change an appointment. */
export const bookableStates = [
  ...statesBefore('appointment-confirmed'),
  ...statesBefore('appointment-changed'),
]

/**
 * SQL: whether a watch is active: it is not ended, its office is active, its limit day (`earlier_than`) is not over,
 * its application can book, and this application has no booked date that was confirmed since the watch began. So the
 * confirmation of an appointment need not touch the watch. An appointment in the general queue has no date.
 */
export const isLive = sql<boolean>`(
  watch.ended_at is null
  and exists (
    select from office where office.id = watch.office_id and office.active
      and (watch.earlier_than is null or watch.earlier_than >= (now() at time zone office.time_zone)::date))
  and exists (
    select from application where application.id = watch.application_id
      and application.state = any (${bookableStates}))
  and not exists (
    select from appointment where appointment.application_id = watch.application_id
      and appointment.state = 'CONFIRMED' and appointment.starts_at is not null
      and appointment.confirmed_at > watch.created_at))`

/** `before`: days before this one match, `YYYY-MM-DD`; null: any day. `told`: number of notifications. */
export type LiveWatch = { officeId: number; before: string | null; told: number }

export function findLiveWatch(db: Kysely<Schema>, applicationId: string): Promise<LiveWatch | undefined> {
  return db
    .selectFrom('watch')
    .select(['office_id as officeId', 'earlier_than as before', 'told'])
    .where('application_id', '=', applicationId)
    .where(isLive)
    .executeTakeFirst()
}

/** Ends the watch of an application, if there is one. */
export async function endWatch(db: Kysely<Schema>, applicationId: string): Promise<void> {
  await db
    .updateTable('watch')
    .set({ ended_at: sql<Date>`now()` })
    .where('application_id', '=', applicationId)
    .where('ended_at', 'is', null)
    .execute()
}
