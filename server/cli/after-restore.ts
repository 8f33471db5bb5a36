import { sql, type Transaction } from 'kysely'
import { renewServerEpoch } from '#server/database/server-epoch.ts'
import type { Schema } from '#server/database/schema.ts'
import { type Command, done, pluralise } from './command.ts'

/** More than an application can gain between a backup and its restore. */
const skippedVersions = 1_000_000
/** More than the whole country can use between a backup and its restore. */
const skippedNumbers = 100_000

export const afterRestoreCommand: Command = {
  name: 'after-restore',
  usage: '',
  operands: [0, 0],
  summary: 'Run once after the database was restored from a backup, before the portal starts',
  help: [
    'Phones may hold newer answers than the backup. After this command the portal offers them to the applicants',
    'instead of replacing them, no version or number of the lost time is used again, and everybody signs in again.',
  ],
  options: {},
  async run({ trx }) {
    await renewServerEpoch(trx)
    const applications = await skipVersions(trx)
    await skipSequences(trx)
    const sessions = await endSessionsAndCodes(trx)
    return done(
      'Phones will learn of the restore. Start the portal now.',
      `${pluralise(applications, 'application')} got a new version; ${pluralise(sessions, 'session')} ended.`,
    )
  },
}

async function skipVersions(trx: Transaction<Schema>): Promise<number> {
  const changed = await trx
    .updateTable('application')
    .set({ version: sql<number>`version + ${sql.lit(skippedVersions)}` })
    .executeTakeFirst()
  return Number(changed.numUpdatedRows)
}

/** The applicants may have papers with numbers that the backup does not know. */
async function skipSequences(trx: Transaction<Schema>): Promise<void> {
  for (const sequence of ['application_number_seq', 'payment_order_seq'])
    await sql`select setval(${sequence}::regclass, nextval(${sequence}::regclass) + ${sql.lit(skippedNumbers)})`.execute(
      trx,
    )
}

/** A session that ended after the backup must not be open again, and a code used after the backup must not sign in. */
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
  return Number(ended.numUpdatedRows)
}
