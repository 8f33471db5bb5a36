import { sql, type Transaction } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { type Command, done, pluralise } from './command.ts'

export const releaseJobsCommand: Command = {
  name: 'release-jobs',
  usage: '[--without-messages]',
  operands: [0, 0],
  summary: 'Lets the servers work again after a restore: messages, payments, reminders, deletions',
  help: [
    'Releases the jobs that after-restore holds. The servers run them again within seconds; no process needs a restart.',
    '--without-messages does not send what waited before the restore, because the gateways may have sent it already:',
    'these messages count as failed. "messages --failed" lists them, "messages --resend" sends them.',
  ],
  options: { 'without-messages': { type: 'boolean' } },
  isRecorded: true,
  async run({ trx }, { options }) {
    const failedCount = options['without-messages'] === true ? await failMessages(trx) : 0
    const released = await trx.deleteFrom('job_hold').returning('id').executeTakeFirst()
    if (released === undefined) return done('The jobs are not held.')
    return done(
      'The jobs are released.',
      ...(failedCount > 0
        ? [`${pluralise(failedCount, 'message')} will not be sent: see "messages --failed".`]
        : []),
    )
  },
}

/**
 * Holds all jobs of all processes, from the commit on (D107). Every job becomes due now, so that its lateness does not count
 * from the day of the backup. A second call keeps the time of the first hold: messages stored since then are new, and
 * --without-messages must not fail them.
 */
export async function holdJobs(trx: Transaction<Schema>): Promise<void> {
  await sql`insert into job_hold default values on conflict (id) do nothing`.execute(trx)
  await sql`update job set due_at = now()`.execute(trx)
}

/** Why a message that waited at the backup was not sent. */
export const restoredReason = 'restored from a backup: it may have been sent before'

/**
 * Marks the messages that waited before the hold as failed, and keeps their texts, so that an operator can send single ones
 * later. The messages that `after-restore` stores have the time of the hold or a later one, so they are sent. Codes have the
 * priority 0: they are never held, and `after-restore` has marked those of the backup as failed. Returns the number of
 * messages that this function marks.
 */
async function failMessages(trx: Transaction<Schema>): Promise<number> {
  const { rows } = await sql`
    update outbox set failed_at = now(), claimed_until = null, last_failure = ${restoredReason}
    from job_hold
    where created_at < held_at and sent_at is null and failed_at is null and priority > 0
    returning outbox.id`.execute(trx)
  return rows.length
}
