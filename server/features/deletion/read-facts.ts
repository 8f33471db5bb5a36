import { type Kysely, type Selectable, sql } from 'kysely'
import { homeTimeZone } from '#contract/codes.ts'
import { dayIn } from '#contract/dates.ts'
import type { Schema } from '#server/database/schema.ts'
import type { DeletionFacts } from './deletion-plan.ts'

type Columns = Pick<
  Selectable<Schema['application']>,
  'state' | 'created_at' | 'deletion_day' | 'deletion_cause' | 'deletion_warned'
>
/** `starts_at`: of the confirmed appointment, on the clock of its office. */
export type DeletionRow = Columns & { paid_at: Date | null; starts_at: string | null }

/** Selects applications with the columns that `deletionFacts` needs. */
export function selectDeletionRows(db: Kysely<Schema>) {
  return db.selectFrom('application').select([
    'application.state',
    'application.created_at',
    'application.deletion_day',
    'application.deletion_cause',
    'application.deletion_warned',
    sql<Date | null>`(select min(settled_at) from payment
        where application_id = application.id and status = 'SUCCESS' and not refund_due)`.as('paid_at'),
    sql<string | null>`(select starts_at from appointment
        where application_id = application.id and state = 'CONFIRMED')`.as('starts_at'),
  ])
}

/** Converts a row into the input of the deletion plan. */
export function deletionFacts(row: DeletionRow): DeletionFacts {
  const { deletion_day: day, deletion_cause: cause, deletion_warned: lastWarning } = row
  return {
    state: row.state,
    createdOn: dayIn(homeTimeZone, row.created_at),
    paidOn: row.paid_at === null ? undefined : dayIn(homeTimeZone, row.paid_at),
    appointmentOn: row.starts_at?.slice(0, 10),
    announcedDeletion:
      day !== null && cause !== null && lastWarning !== null ? { day, cause, lastWarning } : undefined,
  }
}
