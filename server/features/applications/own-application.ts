import { type Kysely, type Selectable, sql } from 'kysely'
import { type ApplicationEvent, type ApplicationState, nextState, statesBefore } from '#contract/states.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Caller } from '#server/calls/call.ts'

export type ApplicationRow = Selectable<Schema['application']>

/** The caller's application; undefined alike when it is another's, is missing, or its id is none at all. */
export async function findOwnApplication(
  db: Kysely<Schema>,
  caller: Pick<Caller, 'applicantId'>,
  id: string,
): Promise<ApplicationRow | undefined> {
  if (!isUuid(id)) return undefined
  return db
    .selectFrom('application')
    .selectAll()
    .where('id', '=', id)
    .where('applicant_id', '=', caller.applicantId)
    .executeTakeFirst()
}

/**
 * Moves an application along the transition table (D40) in one conditional statement: of two that try the same
 * step at once one wins. Gives the new state, or undefined when the event cannot happen now.
 */
export async function advanceState(
  db: Kysely<Schema>,
  applicationId: string,
  event: ApplicationEvent,
): Promise<ApplicationState | undefined> {
  const moved = await db
    .updateTable('application')
    .set({ state: stateAfter(event), updated_at: sql<Date>`now()` })
    .where('id', '=', applicationId)
    .where('state', 'in', statesBefore(event))
    .returning('state')
    .executeTakeFirst()
  return moved?.state
}

/** What the table makes of the state a row is in; the statement must ask for `statesBefore` each of the events. */
export function stateAfter(...events: ApplicationEvent[]) {
  const cases = events.flatMap(event =>
    statesBefore(event).map(state => sql`when ${state} then ${nextState(state, event)}`),
  )
  return sql<ApplicationState>`case state ${sql.join(cases, sql` `)} end`
}

/** PostgreSQL refuses other text as a uuid; such an id names nothing. */
export function isUuid(id: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)
}
