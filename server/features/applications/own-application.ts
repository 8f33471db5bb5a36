import { type Kysely, type Selectable, sql } from 'kysely'
import type { FormValues } from '#contract/application.ts'
import { isBlank } from '#contract/fields.ts'
import { toMsisdn } from '#contract/phone.ts'
import { type ApplicationEvent, type ApplicationState, nextState, statesBefore } from '#contract/states.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Caller } from '#server/calls/call.ts'

export type ApplicationRow = Selectable<Schema['application']>

/** Every column by its name, so that a prepared statement stays valid when a migration adds a column (D73). */
export const applicationColumns = [
  'id',
  'applicant_id',
  'number',
  'state',
  'data',
  'additional_data',
  'draft',
  'version',
  'language',
  'changes_used',
  'appointment_id',
  'deletion_day',
  'deletion_cause',
  'deletion_warned',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof ApplicationRow)[]

/**
 * Returns the caller's application. Undefined when it is another's, is missing, or `id` is no UUID: the caller cannot
 * tell these cases apart.
 */
export async function findOwnApplication(
  db: Kysely<Schema>,
  caller: Pick<Caller, 'applicantId'>,
  id: string,
): Promise<ApplicationRow | undefined> {
  if (!isUuid(id)) return undefined
  return db
    .selectFrom('application')
    .select(applicationColumns)
    .where('id', '=', id)
    .where('applicant_id', '=', caller.applicantId)
    .executeTakeFirst()
}

/**
 * Applies an event of the transition table (D40) in one conditional statement. Of two simultaneous calls only one
 * succeeds, unless the new state allows the event again. Returns the new state, or undefined when the event is not
 * allowed in the current state. Does not check whose application it is. Withdraws an announced deletion: a later one
 * needs all warnings again.
 */
export async function advanceState(
  db: Kysely<Schema>,
  applicationId: string,
  event: ApplicationEvent,
): Promise<ApplicationState | undefined> {
  const moved = await db
    .updateTable('application')
    .set({ state: stateAfter(event), updated_at: sql<Date>`now()`, ...withoutAnnouncedDeletion })
    .where('id', '=', applicationId)
    .where('state', 'in', statesBefore(event))
    .returning('state')
    .executeTakeFirst()
  return moved?.state
}

/** Columns of an application whose deletion is not announced. */
export const withoutAnnouncedDeletion = {
  deletion_day: null,
  deletion_cause: null,
  deletion_warned: null,
} as const

/**
 * SQL for the state that follows the row's state by the transition table. The statement must filter by `statesBefore`.
 */
export function stateAfter(...events: ApplicationEvent[]) {
  const cases = events.flatMap(event =>
    statesBefore(event).map(state => sql`when ${state} then ${nextState(state, event)}`),
  )
  return sql<ApplicationState>`case state ${sql.join(cases, sql` `)} end`
}

/** The contacts that a form names: `phone` as MSISDN, '' for a contact that it does not name. */
export function formContacts({ dialCode, phoneNumber, email }: FormValues): { phone: string; email: string } {
  return {
    phone: isBlank(phoneNumber) ? '' : toMsisdn(dialCode, phoneNumber),
    email: email.trim(),
  }
}

/** PostgreSQL throws when a uuid column is compared with another text, so callers check an id before the query. */
export function isUuid(id: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)
}
