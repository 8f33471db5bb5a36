import { type Kysely, sql } from 'kysely'
import type { Schema } from './schema.ts'

/** `stop` ends the comparisons with the database; `now` still works. */
export type DatabaseClock = { now(): Date; stop(): void }

/** How often the clock is compared with that of the database. */
const intervalMs = 30_000
/** A slower answer says too little about the time, so the clock ignores it, except the first one. */
const maxAnswerMs = 2_000

/**
 * Returns a clock that shows the time of the database, so that all processes agree about deadlines, and the clock of a
 * machine that is wrong or jumps changes nothing. Between two comparisons it counts the milliseconds of the machine's
 * monotonic clock. Without an answer of the database it counts on from the last comparison.
 *
 * @throws when the database does not answer the first time
 */
export async function openDatabaseClock(db: Kysely<Schema>): Promise<DatabaseClock> {
  let { aheadMs } = await readOffset(db)
  async function compare(): Promise<void> {
    const read = await readOffset(db)
    if (read.answerMs <= maxAnswerMs) aheadMs = read.aheadMs
  }
  const timer = setInterval(() => {
    compare().catch(() => undefined)
  }, intervalMs)
  timer.unref()
  return { now: () => new Date(performance.now() + aheadMs), stop: () => clearInterval(timer) }
}

/** Returns the time of the database. */
export async function readDatabaseTime(db: Kysely<Schema>): Promise<Date> {
  const { rows } = await sql<{ time: Date }>`select now() as time`.execute(db)
  const [row] = rows
  if (row === undefined) throw new Error('The database returned no time.')
  return row.time
}

/** `aheadMs`: the time of the database minus the monotonic clock, in the middle between the query and its answer. */
async function readOffset(db: Kysely<Schema>): Promise<{ aheadMs: number; answerMs: number }> {
  const askedMs = performance.now()
  const time = await readDatabaseTime(db)
  const answerMs = performance.now() - askedMs
  return { aheadMs: time.getTime() - (askedMs + answerMs / 2), answerMs }
}
