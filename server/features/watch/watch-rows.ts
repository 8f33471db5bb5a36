import { type Kysely, sql } from 'kysely'
import { statesBefore } from '#contract/states.ts'
import type { Schema } from '#server/database/schema.ts'

/** From where somebody can choose a place: a first one, or another. */
export const bookableStates = [
  ...statesBefore('appointment-confirmed'),
  ...statesBefore('appointment-changed'),
]

/**
 * A watch that still has a sense: not stopped, the application can choose a place, and it has chosen no date since.
 * Nothing has to happen at the confirmation of an appointment for this; a place in the general queue is no date.
 */
export const isLive = sql<boolean>`(
  watch.ended_at is null
  and exists (
    select from application where application.id = watch.application_id
      and application.state = any (${bookableStates}))
  and not exists (
    select from appointment where appointment.application_id = watch.application_id
      and appointment.state = 'CONFIRMED' and appointment.starts_at is not null
      and appointment.confirmed_at > watch.created_at))`

export type LiveWatch = { officeId: number; before: string | null; told: number }

export function findLive(db: Kysely<Schema>, applicationId: string): Promise<LiveWatch | undefined> {
  return db
    .selectFrom('watch')
    .select(['office_id as officeId', 'earlier_than as before', 'told'])
    .where('application_id', '=', applicationId)
    .where(isLive)
    .executeTakeFirst()
}

export async function endWatch(db: Kysely<Schema>, applicationId: string): Promise<void> {
  await db
    .updateTable('watch')
    .set({ ended_at: sql<Date>`now()` })
    .where('application_id', '=', applicationId)
    .where('ended_at', 'is', null)
    .execute()
}
