import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { expect } from 'vitest'
import type { Schema } from '#server/database/schema.ts'

type Race<Outcomes extends readonly unknown[]> = {
  /** Locks what the actions wait for. */
  lock: RawBuilder<unknown>
  /** Each starts when the one before it waits for the lock, so they get the lock in this order. */
  actions: { [Index in keyof Outcomes]: () => Promise<Outcomes[Index]> }
  /** Runs in the transaction that holds the lock, after each action has read what it reads before it locks. */
  change?: (trx: Transaction<Schema>) => Promise<unknown>
}

/**
 * Forces a race on PostgreSQL: holds a lock until every action waits for it, runs `change`, and commits. So an action
 * that decides by what it has read before its lock gets a wrong outcome; one that reads under it gets the right one.
 */
export async function forceRace<Outcomes extends readonly unknown[]>(
  db: Kysely<Schema>,
  { lock, actions, change }: Race<Outcomes>,
): Promise<Outcomes> {
  const running = await db.transaction().execute(async trx => {
    await lock.execute(trx)
    const started: Promise<unknown>[] = []
    for (const act of actions) {
      started.push(act())
      await expect.poll(() => countBlocked(db)).toBe(started.length)
    }
    await change?.(trx)
    // The transaction does not wait for the actions, because they wait for its lock.
    return started
  })
  return (await Promise.all(running)) as unknown as Outcomes // in the order of `actions`
}

/** The lock of an application's row, under which its payments and appointments are decided. */
export function rowOfApplication(id: string): RawBuilder<unknown> {
  return sql`select from application where id = ${id} for update`
}

async function countBlocked(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ blocked: number }>`
    select count(*)::integer as blocked from pg_stat_activity
    where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`.execute(db)
  return rows[0]?.blocked ?? 0
}
