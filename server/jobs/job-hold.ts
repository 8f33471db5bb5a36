import type { Kysely } from 'kysely'
import type { Services } from '#server/calls/services.ts'
import type { Schema } from '#server/database/schema.ts'

/**
 * Called when a process starts. Warns if `JOBS` is off or the jobs are held, because a process without jobs looks healthy
 * (D107).
 */
export async function warnWithoutJobs({ db, config, logger }: Services): Promise<void> {
  if (!config.jobs)
    logger.warn(
      {},
      'JOBS is off: this process answers requests, but sends no message and runs no job. Set JOBS=on, unless this is a drill.',
    )
  const heldAt = await readHold(db)
  if (heldAt === undefined) return
  logger.warn(
    { since: heldAt },
    'The jobs are held since a restore: only codes are sent. Release them with "npm run office -- release-jobs".',
  )
}

/** Since when the jobs are held; undefined when they are not. */
async function readHold(db: Kysely<Schema>): Promise<Date | undefined> {
  const row = await db.selectFrom('job_hold').select('held_at').executeTakeFirst()
  return row?.held_at
}
