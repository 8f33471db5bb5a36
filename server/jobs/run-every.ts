import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { jobRuns, jobTimes } from '#server/calls/event-counts.ts'
import { type Repetition, repeat } from '#server/calls/repeat.ts'
import { traced } from '#server/calls/tracing.ts'
import type { Logger } from '#server/monitoring/logger.ts'

type Job = { name: string; db: Kysely<Schema>; logger: Logger; run: () => Promise<unknown> }

/**
 * Runs a job now and at each interval, in one of the processes that share the database. If the job still runs in this
 * process when the interval ends, this process skips that run; another process may claim it, so two runs of a long job can
 * overlap. Logs a failure; the job runs again at its next interval.
 */
export function runEvery(intervalSeconds: number, job: Job): Repetition {
  return repeat(intervalSeconds * 1_000, () => runOnce(intervalSeconds, job))
}

async function runOnce(intervalSeconds: number, { name, db, logger, run }: Job): Promise<void> {
  try {
    if (!(await claimRun(db, name, intervalSeconds))) return
    const end = jobTimes.startTimer({ job: name })
    await traced({ name: `job ${name}`, kind: 'internal' }, run).finally(end)
    jobRuns.inc({ job: name, outcome: 'done' })
  } catch (error) {
    jobRuns.inc({ job: name, outcome: 'failed' })
    logger.error({ err: error, job: name }, 'A job failed. It runs again at its next interval.')
  }
}

/** The share of the interval after which the next run is due. A timer that fires a little early must not miss its run. */
const dueShare = 0.9

/**
 * In intervals. A next run that is further ahead is from a clock that was ahead for a time: without this limit the job would
 * stop until then.
 */
const maxAheadIntervals = 2

/**
 * Whether this process runs the job now: only one of all processes moves `due_at`, the time of the next run (D95). No
 * lock is held during the run: when its process is killed, another process begins the next run less than two intervals
 * after the killed one began. No process runs a job while the jobs are held after a restore (D107).
 */
export async function claimRun(db: Kysely<Schema>, name: string, intervalSeconds: number): Promise<boolean> {
  const { rows } = await sql`
    insert into job (name, due_at)
    select ${name}, now() + make_interval(secs => ${intervalSeconds * dueShare})
    where not exists (select from job_hold)
    on conflict (name) do update set due_at = excluded.due_at
      where job.due_at <= now() or job.due_at > now() + make_interval(secs => ${intervalSeconds * maxAheadIntervals})
    returning name`.execute(db)
  return rows.length > 0
}
