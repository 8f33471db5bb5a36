import { type RawBuilder, sql } from 'kysely'

/**
 * Whether the last status query, or the order, has a time that is still to come: the clock of the database was ahead when it
 * was stored. Then the times of the next query are wrong too: the order is due (D95). A time that is less than a minute ahead
 * is usual: `now()` is the start of a transaction, and another one that began later may have stored its own.
 */
const isAskedAhead = sql<boolean>`coalesce(asked_at, created_at) > now() + interval '1 minute'`

/** Between two status queries that polls and held requests start: an applicant cannot make the server flood a provider. */
export const pollInterval = sql`interval '2 seconds'`

/**
 * SQL: whether no poll, webhook or reconciler has begun a status query within this interval. `interval`: an SQL
 * expression.
 */
export function hasNoQueryWithin(interval: RawBuilder<unknown>) {
  return sql<boolean>`(asked_at is null or ${isAskedAhead} or asked_at < now() - ${interval})`
}

/** Whether the reconciler sends the next status query now. */
export const isQueryDue = sql<boolean>`(ask_at <= now() or (ask_at is not null and ${isAskedAhead}))`
