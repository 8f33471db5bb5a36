import { sql, type Transaction } from 'kysely'
import { renewServerEpoch } from '#server/database/server-epoch.ts'
import type { Schema } from '#server/database/schema.ts'
import { postponeDeletions } from '#server/features/account/delete-account.ts'
import { withoutAnnouncedDeletion } from '#server/features/applications/own-application.ts'
import { type Command, done, pluralise } from './command.ts'
import { listKnownOutside } from './known-outside.ts'
import { holdJobs, restoredReason } from './release-jobs.ts'

/** More versions than an application can get between a backup and the restore of it. */
const skippedVersions = 1_000_000
/** More numbers than all applicants together can use between a backup and the restore of it. */
const skippedNumbers = 100_000
/**
 * Each restore skips a random part of these too: a second restore of the same or an older backup would otherwise count again
 * from where the first one began.
 */
const randomlySkippedNumbers = 9_000_000

export const afterRestoreCommand: Command = {
  name: 'after-restore',
  usage: '',
  operands: [0, 0],
  summary: 'Prepares a database that was restored from a backup, before the portal starts',
  help: [
    'Phones may hold newer answers than the backup. After this command the portal offers these answers to the',
    'applicants and does not overwrite them. The server uses no version and no number again that it gave after the',
    'backup, and all applicants must sign in again. All jobs are held until "release-jobs": the servers send only codes',
    'and query no provider by themselves. The command lists what providers and gateways may know and the backup does not.',
    'Deletions that were announced before the backup are announced again, because their applicants may have acted since.',
    'You may run the command again.',
  ],
  options: {},
  isRecorded: true,
  async run({ trx, config }) {
    await renewServerEpoch(trx)
    const applications = await skipVersionsAndWithdrawDeletions(trx)
    await skipSequences(trx)
    const sessions = await endSessionsAndCodes(trx)
    await holdJobs(trx)
    const outside = await listKnownOutside(trx)
    // After the list, so that the list does not have the new messages of these accounts: they are not of the backup.
    const accounts = await postponeDeletions(trx, { config })
    const shown = done(
      'Phones will learn of the restore. Start the portal now.',
      `${pluralise(applications, 'application')} got a new version; ${pluralise(sessions, 'session')} ended.`,
      ...(accounts > 0
        ? [
            `${pluralise(accounts, 'account')} to be deleted: the seven days begin again, with new messages to the owners.`,
          ]
        : []),
      'All jobs are held: the servers send only codes. Compare what follows, then run "npm run office -- release-jobs".',
      '',
      ...outside.lines,
    )
    return { ...shown, about: outside.about }
  },
}

/**
 * One statement does both, because the new versions write every row anyway. The announced deletions are withdrawn, because an
 * applicant may have booked or paid after the backup, and must be warned again. Returns the number of applications.
 */
async function skipVersionsAndWithdrawDeletions(trx: Transaction<Schema>): Promise<number> {
  const changed = await trx
    .updateTable('application')
    .set({ version: sql<number>`version + ${sql.lit(skippedVersions)}`, ...withoutAnnouncedDeletion })
    .executeTakeFirst()
  return Number(changed.numUpdatedRows)
}

/**
 * Applicants may have receipts, and providers orders, with numbers that the backup does not know: no other application
 * or order may get these numbers. The ids of a change of contacts and of a code are in the keys of their messages: a
 * gateway that knows the key would take a new message for a repeat, and `messages --sent` would count one about a
 * change as sent.
 */
async function skipSequences(trx: Transaction<Schema>): Promise<void> {
  const ofMessageKeys = ['contact_change_id_seq', 'one_time_code_id_seq']
  for (const sequence of ['application_number_seq', 'payment_order_seq', ...ofMessageKeys])
    await sql`select setval(${sequence}::regclass, nextval(${sequence}::regclass) + ${sql.lit(skippedNumbers)}
      + floor(random() * ${sql.lit(randomlySkippedNumbers)})::bigint)`.execute(trx)
}

/**
 * A session that ended after the backup must not be open again; a code that was used since then must not work again. So the
 * messages of the backup with such codes are not sent any more either; those with new codes are. Returns how many sessions it
 * has ended.
 */
async function endSessionsAndCodes(trx: Transaction<Schema>): Promise<number> {
  const ended = await trx
    .updateTable('session')
    .set({ ended_at: sql<Date>`now()` })
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  await trx
    .updateTable('one_time_code')
    .set({ used_at: sql<Date>`now()` })
    .where('used_at', 'is', null)
    .execute()
  await trx
    .updateTable('outbox')
    .set({ failed_at: sql<Date>`now()`, claimed_until: null, last_failure: restoredReason, message: '{}' })
    .where('priority', '=', 0)
    .where('sent_at', 'is', null)
    .where('failed_at', 'is', null)
    .execute()
  return Number(ended.numUpdatedRows)
}
