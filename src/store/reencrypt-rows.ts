import type { ApplicantKey } from './applicant-key.ts'
import type { Database, Encrypted } from './database.ts'
import type { DatabaseRunner } from './database-runner.ts'
import { rowIdOf } from './draft-rows.ts'
import { isSameCiphertext, reencrypt } from './encryption.ts'
import { seenContextOf } from './last-seen.ts'
import { contextOfRow } from './revision-rows.ts'

type Parts = { database: Database; runOnDatabase: DatabaseRunner }

type SealedRow = { sealed: Encrypted }

/**
 * Encrypts every row of the applicant that is still under the previous key with the key of today, so that the operator can
 * remove the previous one (D110). A row that another tab has written meanwhile stays as it is. The revision of a draft does
 * not change, because its answers do not. @throws StorageFault
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
  // Drafts first: they may be the only copy of an answer.
  for (const row of read.drafts) {
    const { applicationId } = row
    const next = await reencrypt(owner, row.sealed, rowIdOf(owner, applicationId))
    const found = drafts.where(':id').equals([applicantId, applicationId])
    if (next) await runOnDatabase(() => found.modify(replacing(row, next)))
  }
  for (const row of read.revisions) {
    const next = await reencrypt(owner, row.sealed, contextOfRow(owner, row))
    const found = revisions.where(':id').equals(row.number)
    if (next) await runOnDatabase(() => found.modify(replacing(row, next)))
  }
  for (const row of read.seen) {
    const next = await reencrypt(owner, row.sealed, seenContextOf(owner, row.name))
    const found = seen.where(':id').equals([applicantId, row.name])
    if (next) await runOnDatabase(() => found.modify(replacing(row, next)))
  }
}

function replacing({ sealed: before }: SealedRow, next: Encrypted): (row: SealedRow) => void {
  return row => {
    if (isSameCiphertext(row.sealed, before)) row.sealed = next
  }
}
