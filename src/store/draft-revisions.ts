import type { FormValues } from '#contract/application.ts'
import type { ApplicantKey } from './applicant-key.ts'
import type { Database, NewRevisionRow } from './database.ts'
import type { DatabaseRunner } from './database-runner.ts'
import { rowIdOf } from './draft-rows.ts'
import { undefinedOnFault } from './on-fault.ts'
import type { Replacement } from './replaced-drafts.ts'
import { answersToKeep } from './revision-rule.ts'
import { decryptRevision, encryptRevision, type Revision, revisionsOf } from './revision-rows.ts'

/** The last revisions of each draft on this device (D63). */
export type DraftRevisions = {
  /**
   * Returns the revisions that must be written with a change, oldest first: `dropped`, which the device could not save
   * before, and the answers of `replacements` that `answersToKeep` returns. A newest revision that cannot be read
   * counts as none.
   * @throws StorageFault when there is a revision to write and `writer.key` is undefined
   */
  prepare: (
    writer: ApplicantKey,
    applicationId: string,
    answers: { dropped: readonly FormValues[]; replacements: readonly Replacement[] },
  ) => Promise<NewRevisionRow[]>
  /** Oldest first, without those that this key cannot decrypt. @throws StorageFault */
  read: (reader: ApplicantKey, applicationId: string) => Promise<Revision[]>
  /** The newest revision that this key decrypts of each application that has no draft on this device. @throws StorageFault */
  readWithoutDraft: (reader: ApplicantKey) => Promise<{ applicationId: string; revision: Revision }[]>
  clearMemory: () => void
}

type Parts = { database: Database; runOnDatabase: DatabaseRunner; now: () => number }

type Newest = { values: FormValues | undefined; lastAt: number }

export function createDraftRevisions({ database, runOnDatabase, now }: Parts): DraftRevisions {
  const { revisions } = database
  /**
   * The time (`at`) of each draft's newest revision, as this page last read it; without a revision, the time of the draft's
   * first change in this page that may need one.
   */
  const knownTimes = new Map<string, number>()

  /** Oldest first. */
  async function readAll(reader: ApplicantKey, applicationId: string): Promise<Revision[]> {
    const rows = await runOnDatabase(() => revisionsOf(revisions, reader, applicationId).sortBy('number'))
    const decrypted = await Promise.all(rows.map(row => decryptRevision(reader, row)))
    return decrypted.filter(revision => revision !== undefined)
  }

  async function readNewest(reader: ApplicantKey, applicationId: string): Promise<Newest> {
    const row = await runOnDatabase(() => revisionsOf(revisions, reader, applicationId).last())
    const rowId = rowIdOf(reader, applicationId)
    const lastAt = row?.at ?? knownTimes.get(rowId) ?? now()
    knownTimes.set(rowId, lastAt)
    return { values: row && (await decryptRevision(reader, row))?.values, lastAt }
  }

  /**
   * Whether this change surely needs no revision, by the newest one that this page knows. Another tab may have made one since,
   * but that can only remove the need for another. So most saves do not read the newest revision (D135).
   */
  function needsNone(rowId: string, change: Replacement): boolean {
    const lastAt = knownTimes.get(rowId)
    return (
      lastAt !== undefined && answersToKeep({ ...change, newest: undefined, lastAt, now: now() }).length === 0
    )
  }

  function encrypt(writer: ApplicantKey, applicationId: string, answers: readonly FormValues[]) {
    const at = now()
    return Promise.all(answers.map(values => encryptRevision(writer, { applicationId, at, values })))
  }

  async function encryptReplaced(writer: ApplicantKey, applicationId: string, change: Replacement) {
    const rowId = rowIdOf(writer, applicationId)
    if (!mayNeedRevision(change) || needsNone(rowId, change)) return []
    const at = now()
    const { values: newest, lastAt = knownTimes.get(rowId) ?? at } =
      (await undefinedOnFault(readNewest(writer, applicationId))) ?? {}
    return encrypt(writer, applicationId, answersToKeep({ ...change, newest, lastAt, now: at }))
  }

  return {
    read: readAll,
    readWithoutDraft: reader => readWithoutDraft({ database, runOnDatabase }, reader),
    async prepare(writer, applicationId, { dropped, replacements }) {
      const prepared = await encrypt(writer, applicationId, dropped)
      for (const each of replacements) prepared.push(...(await encryptReplaced(writer, applicationId, each)))
      return prepared
    },
    clearMemory: () => knownTimes.clear(),
  }
}

async function readWithoutDraft({ database, runOnDatabase }: Omit<Parts, 'now'>, reader: ApplicantKey) {
  const { applicantId } = reader
  const { rows, ids } = await runOnDatabase(async () => ({
    rows: await database.revisions.where({ applicantId }).sortBy('number'),
    ids: new Set((await database.drafts.where({ applicantId }).toArray()).map(row => row.applicationId)),
  }))
  const newest = new Map<string, Revision>()
  for (const row of rows) {
    const revision = ids.has(row.applicationId) ? undefined : await decryptRevision(reader, row)
    if (revision) newest.set(row.applicationId, revision)
  }
  return [...newest].map(([applicationId, revision]) => ({ applicationId, revision }))
}

/** Most writes are of the sync and change no answer: for these no revision is read. */
function mayNeedRevision({ before, after, cause }: Replacement): boolean {
  if (!before) return cause.kind === 'typed'
  return before.values !== after?.values || before.tab !== after.tab || before.theirs !== after.theirs
}
