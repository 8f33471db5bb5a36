import type { Collection } from 'dexie'
import type { ApplicantKey } from './applicant-key.ts'
import type { Database, Encrypted } from './database.ts'
import type { DatabaseRunner } from './database-runner.ts'
import { rowIdOf } from './draft-rows.ts'
import { isSameCiphertext, reencrypt } from './encryption.ts'
import { responseContextOf } from './responses.ts'
import { contextOfRow } from './revision-rows.ts'

type Parts = { database: Database; runOnDatabase: DatabaseRunner }

type SealedRow = { sealed: Encrypted }

/**
 * Encrypts every row of the applicant that is still under the previous key with the key of today, so that the operator
 * can remove the previous one (D110). A row that was written since it was read stays as it is. The field `revision` of
 * a draft's row does not change, because its answers do not.
 * @throws StorageFault
 */
export async function reencryptRows(
  { database, runOnDatabase }: Parts,
  owner: ApplicantKey | undefined,
): Promise<void> {
  if (!owner?.key || !owner.previousKey) return
  const { applicantId } = owner
  const { drafts, revisions, seen } = database
  const read = await runOnDatabase(async () => ({
    drafts: await drafts.where({ applicantId }).toArray(),
    revisions: await revisions.where({ applicantId }).toArray(),
    seen: await seen.where({ applicantId }).toArray(),
  }))
  const replace = async (row: SealedRow, context: string, found: Collection<SealedRow>) => {
    const next = await reencrypt(owner, row.sealed, context)
    if (next) await runOnDatabase(() => found.modify(replacing(row, next)))
  }
  // Drafts first: they may be the only copy of an answer.
  for (const row of read.drafts) {
    const { applicationId } = row
    await replace(
      row,
      rowIdOf(owner, applicationId),
      drafts.where(':id').equals([applicantId, applicationId]),
    )
  }
  for (const row of read.revisions)
    await replace(row, contextOfRow(owner, row), revisions.where(':id').equals(row.number))
  for (const row of read.seen)
    await replace(row, responseContextOf(owner, row.name), seen.where(':id').equals([applicantId, row.name]))
}

function replacing({ sealed: before }: SealedRow, next: Encrypted): (row: SealedRow) => void {
  return row => {
    if (isSameCiphertext(row.sealed, before)) row.sealed = next
  }
}
