import type { Database } from './database.ts'
import type { DatabaseRunner } from './database-runner.ts'

/** Deletes every row that this device has of an applicant, with the keys (D112). @throws StorageFault */
export async function eraseApplicant(
  database: Database,
  runOnDatabase: DatabaseRunner,
  applicantId: string,
): Promise<void> {
  const { drafts, moves, keys, seen, revisions } = database
  await runOnDatabase(() =>
    database.transaction('rw', [drafts, moves, keys, seen, revisions], async () => {
      for (const table of [drafts, seen, revisions]) await table.where({ applicantId }).delete()
      for (const table of [moves, keys]) await table.filter(row => row.applicantId === applicantId).delete()
    }),
  )
}
