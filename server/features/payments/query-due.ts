import { type RawBuilder, sql } from 'kysely'

/**
 * Whether the time of the last status query, or of the order if it was never queried, is more than a minute from now:
 * the clock of the database was ahead when it was stored. Then the times of the next query are wrong too: the order is
 * due (D95). Less than a minute ahead is usual: `now()` is the start of a transaction, and another one that began later
 * may have stored its own.
 */
const isAskedAhead = sql<boolean>`coalesce(asked_at, created_at) > now() + interval '1 minute'`

/**
 * Shortest time between two status queries that polls and held requests start (for a held request after a webhook:
 * `wokenInterval`): an applicant cannot make the server flood a provider.
 */
export const pollInterval = sql`interval '2 seconds'`

/**
 * SQL: whether no poll, held request, webhook or reconciler has begun a status query within this interval. `interval`:
 * an SQL expression.
 */
export function hasNoQueryWithin(interval: RawBuilder<unknown>) {
  return sql<boolean>`(asked_at is null or ${isAskedAhead} or asked_at < now() - ${interval})`
}

/** SQL: whether the next status query of the reconciler is due. */
export const isQueryDue = sql<boolean>`(ask_at <= now() or (ask_at is not null and ${isAskedAhead}))`
