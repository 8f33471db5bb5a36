import { Dexie, type ObservabilitySet } from 'dexie'
import type { Database, DraftRow, Encrypted } from './database.ts'
import { emptyForm, type FormValues } from '#contract/application.ts'
import { type Draft, parseDraft } from './draft.ts'
import type { DatabaseRunner } from './database-runner.ts'
import type { ApplicantKey } from './applicant-key.ts'
import { encryptJson, decryptJson } from './encryption.ts'
import { StorageFault, type SaveFailureReason } from './storage-fault.ts'

/**
 * What became of a write: the truth line says nothing else (D30). A draft that the device cannot keep goes on in
 * this page, for as long as it is open.
 */
export type SaveResult =
  | { kind: 'kept'; draft: Draft | undefined }
  | { kind: 'not-kept'; reason: SaveFailureReason; draft: Draft | undefined }

/** What a change makes of a draft: another one, the same one (nothing is written), or none. */
export type Change = (draft: Draft | undefined) => Draft | undefined

/** The forms in progress of the applicant who is signed in; nobody else's can be read. */
export type Drafts = {
  read(applicationId: string): Promise<Draft | undefined>
  all(): Promise<{ applicationId: string; draft: Draft }[]>
  /** Changes a draft in one piece: when somebody else was faster, the change is worked out anew on theirs. */
  update(applicationId: string, change: Change): Promise<SaveResult>
  /** A form that was started without the line goes under the server's id; `to` may refuse what it finds there. */
  move(
    localId: string,
    applicationId: string,
    to: (draft: Draft, standing: Draft | undefined) => Draft | undefined,
  ): Promise<'moved' | 'taken'>
  /** The id under which a form goes on; its own where it never moved. */
  resolveId(applicationId: string): Promise<string>
  /** Calls after every change, of other tabs too. */
  watch(listener: () => void): () => void
}

/**
 * Two drafts of one form: what is stored, and what was typed on one of its forerunners, as that was known. The store
 * keeps drafts and does not know how answers meet.
 */
export type MergeDrafts = (
  stored: Draft,
  typed: { values: FormValues; tab: string; lastKnown: Draft },
) => Draft

export type DraftParts = {
  database: Database
  mergeDrafts: MergeDrafts
  runOnDatabase: DatabaseRunner
  applicantKey: () => Promise<ApplicantKey | undefined>
  now: () => number
}

/** `forget` drops what only this page holds. */
export function createDrafts(parts: DraftParts): Drafts & { clearMemory: () => void } {
  const { database, runOnDatabase, applicantKey, now } = parts
  /** What the device could not keep, and the row that it grew from. */
  const unsavedDrafts = new Map<string, UnsavedDraft>()
  /** The rows as they were when they could last be read. */
  const lastRead = new Map<string, ReadRow>()
  /** Rows as they were opened or sealed last: what was not written since need not be opened again. */
  const decryptedRows = new Map<string, DecryptedRow>()
  const listeners = new Set<() => void>()

  function setUnsaved(context: string, next: UnsavedDraft | undefined) {
    const before = unsavedDrafts.get(context)
    if (next) unsavedDrafts.set(context, next)
    else unsavedDrafts.delete(context)
    if (before?.draft !== next?.draft) emit()
  }

  function emit() {
    for (const watcher of listeners) watcher()
  }

  /** What holds now: another tab may have kept its own meanwhile, and neither may overwrite the other unseen. */
  function currentDraft(context: string, row: ReadRow): Draft | undefined {
    const unsaved = unsavedDrafts.get(context)
    if (!unsaved) return row.draft
    if (!row.draft || row.revision === unsaved.revision) return unsaved.draft
    const lastKnown = unsaved.from ?? { ...unsaved.draft, values: unsaved.draft.base?.values ?? emptyForm() }
    // Of two answers to one question the later one holds.
    const [first, last] =
      unsaved.draft.savedAt < row.draft.savedAt ? [unsaved.draft, row.draft] : [row.draft, unsaved.draft]
    const { values, tab } = last
    return parts.mergeDrafts({ ...row.draft, values: first.values }, { values, tab, lastKnown })
  }

  async function decryptRow(reader: ApplicantKey, row: DraftRow): Promise<Draft | undefined> {
    const context = contextOf(reader, row.applicationId)
    const known = decryptedRows.get(context)
    if (known && known.key === reader.key && isSameCiphertext(known.sealed, row.sealed)) return known.draft
    const found = await decryptJson(reader.key, row.sealed, context)
    if (found === undefined) return undefined
    const draft = parseDraft(found, row)
    decryptedRows.set(context, { key: reader.key, sealed: row.sealed, draft })
    return draft
  }

  /** False when the row is no longer the one that was read: nothing is written then. */
  function replaceRow(rowKey: [string, string], before: number | undefined, next: DraftRow | undefined) {
    return runOnDatabase(() =>
      database.transaction('rw', database.drafts, async () => {
        const existing = await database.drafts.get(rowKey)
        if (existing?.revision !== before) return false
        if (next) await database.drafts.put({ ...next, revision: (before ?? 0) + 1 })
        else await database.drafts.delete(rowKey)
        return true
      }),
    )
  }

  async function readRow(reader: ApplicantKey, applicationId: string) {
    const found = await runOnDatabase(() => database.drafts.get([reader.applicantId, applicationId]))
    const row: ReadRow = { revision: found?.revision, draft: found && (await decryptRow(reader, found)) }
    const context = contextOf(reader, applicationId)
    lastRead.set(context, row)
    return { row, draft: currentDraft(context, row) }
  }

  async function readAll(reader: ApplicantKey): Promise<[string, Draft][]> {
    const rows = await runOnDatabase(() =>
      database.drafts.where({ applicantId: reader.applicantId }).toArray(),
    )
    const opened = await Promise.all(
      rows.map(async row => {
        const draft = await decryptRow(reader, row)
        const { applicationId: id, revision } = row
        return [id, currentDraft(contextOf(reader, id), { revision, draft })] as const
      }),
    )
    return opened.flatMap(([id, draft]) => (draft ? [[id, draft] satisfies [string, Draft]] : []))
  }

  function unsavedOf(reader: ApplicantKey): [string, Draft][] {
    const own = contextOf(reader, '')
    return [...unsavedDrafts].flatMap(([context, { draft }]) =>
      context.startsWith(own) ? [[context.slice(own.length), draft] satisfies [string, Draft]] : [],
    )
  }

  /** One try: undefined when somebody else was faster. */
  async function tryChange(
    writer: ApplicantKey,
    applicationId: string,
    change: Change,
  ): Promise<SaveResult | undefined> {
    const context = contextOf(writer, applicationId)
    const before = await readRow(writer, applicationId)
    const changed = change(before.draft)
    if (changed === before.draft && !unsavedDrafts.has(context)) return { kind: 'kept', draft: changed }
    const draft = changed && stampChange(before.draft, changed, now())
    const next = draft && (await encryptRow(writer, applicationId, draft))
    try {
      if (!(await replaceRow([writer.applicantId, applicationId], before.row.revision, next)))
        return undefined
      lastRead.set(context, { revision: (before.row.revision ?? 0) + 1, draft })
      if (draft && next) decryptedRows.set(context, { key: writer.key, sealed: next.sealed, draft })
      setUnsaved(context, undefined)
      return { kind: 'kept', draft }
    } catch (error) {
      if (!(error instanceof StorageFault)) throw error
      const { revision, draft: from } = before.row
      setUnsaved(context, draft && { draft, revision, from })
      return { kind: 'not-kept', reason: error.reason, draft }
    }
  }

  /** Where not even reading goes. */
  function changeUnsaved(context: string, change: Change, reason: SaveFailureReason): SaveResult {
    const unsaved = unsavedDrafts.get(context)
    const before = unsaved?.draft ?? lastRead.get(context)?.draft
    const changed = change(before)
    const draft = changed && changed !== before ? stampChange(before, changed, now()) : changed
    const row = lastRead.get(context)
    const origin =
      unsaved ?? (row ? { revision: row.revision, from: row.draft } : { revision: 'unread', from: undefined })
    setUnsaved(context, draft && { ...origin, draft })
    return { kind: 'not-kept', reason, draft }
  }

  return {
    async read(applicationId) {
      const reader = await undefinedOnFault(applicantKey())
      if (!reader) return undefined
      const found = await undefinedOnFault(readRow(reader, applicationId))
      if (found) return found.draft
      const context = contextOf(reader, applicationId)
      return unsavedDrafts.get(context)?.draft ?? lastRead.get(context)?.draft
    },
    async all() {
      const reader = await undefinedOnFault(applicantKey())
      if (!reader) return []
      const found = new Map([...unsavedOf(reader), ...((await undefinedOnFault(readAll(reader))) ?? [])])
      return [...found].map(([applicationId, draft]) => ({ applicationId, draft }))
    },
    async update(applicationId, change) {
      for (;;) {
        const writer = await undefinedOnFault(applicantKey())
        if (!writer) return { kind: 'not-kept', reason: 'refused', draft: undefined }
        try {
          const saved = await tryChange(writer, applicationId, change)
          if (saved) return saved
        } catch (error) {
          if (!(error instanceof StorageFault)) throw error
          return changeUnsaved(contextOf(writer, applicationId), change, error.reason)
        }
      }
    },
    async move(localId, applicationId, to) {
      for (;;) {
        const mover = await applicantKey()
        const before = mover && (await readRow(mover, localId))
        if (!mover || !before?.draft) return 'moved' // by another tab
        const target = await readRow(mover, applicationId)
        const moved = to(before.draft, target.draft)
        if (!moved) return 'taken'
        const { applicantId } = mover
        const next = await encryptRow(mover, applicationId, moved)
        const done = await runOnDatabase(() =>
          database.transaction('rw', database.drafts, database.moves, async () => {
            const local = await database.drafts.get([applicantId, localId])
            const existing = await database.drafts.get([applicantId, applicationId])
            if (local?.revision !== before.row.revision || existing?.revision !== target.row.revision)
              return false
            await database.drafts.put({ ...next, revision: (existing?.revision ?? 0) + 1 })
            await database.drafts.delete([applicantId, localId])
            await database.moves.put({ applicantId, localId, applicationId })
            return true
          }),
        )
        if (!done) continue
        for (const context of [contextOf(mover, localId), contextOf(mover, applicationId)]) {
          lastRead.delete(context)
          setUnsaved(context, undefined)
        }
        return 'moved'
      }
    },
    async resolveId(applicationId) {
      const reader = await undefinedOnFault(applicantKey())
      const find = (applicantId: string) =>
        runOnDatabase(() => database.moves.get([applicantId, applicationId]))
      const move = reader && (await undefinedOnFault(find(reader.applicantId)))
      return move?.applicationId ?? applicationId
    },
    watch(listener) {
      const onChange = (changed: ObservabilitySet) => {
        if (affectsDrafts(database, changed)) listener()
      }
      Dexie.on('storagemutated', onChange)
      listeners.add(listener)
      return () => {
        Dexie.on.storagemutated.unsubscribe(onChange)
        listeners.delete(listener)
      }
    },
    clearMemory() {
      unsavedDrafts.clear()
      lastRead.clear()
      decryptedRows.clear()
    },
  }
}

type ReadRow = { revision: number | undefined; draft: Draft | undefined }

/** `unread`: nobody could say what was stored. */
type UnsavedDraft = { draft: Draft; revision: number | undefined | 'unread'; from: Draft | undefined }

type DecryptedRow = { key: CryptoKey | undefined; sealed: Encrypted; draft: Draft }

/** Whether drafts were written, or somebody came or went, in this tab or another. Its keys are `idb://base/table/index`. */
function affectsDrafts(database: Database, changed: ObservabilitySet): boolean {
  const prefixes = [database.drafts, database.keys].map(table => `idb://${database.name}/${table.name}/`)
  return Object.keys(changed).some(key => key === 'all' || prefixes.some(place => key.startsWith(place)))
}

/** To the last byte: a text that was damaged meanwhile does not open. */
function isSameCiphertext(one: Encrypted, other: Encrypted): boolean {
  return indexedDB.cmp(one.start, other.start) === 0 && indexedDB.cmp(one.text, other.text) === 0
}

async function encryptRow(writer: ApplicantKey, applicationId: string, draft: Draft): Promise<DraftRow> {
  const { tab, savedAt, ...sealed } = draft
  return {
    applicantId: writer.applicantId,
    applicationId,
    sealed: await encryptJson(writer.key, sealed, contextOf(writer, applicationId)),
    tab,
    savedAt,
    revision: 1,
  }
}

/** Only what the applicant typed counts as kept anew, not what is known about it. */
function stampChange(before: Draft | undefined, after: Draft, now: number): Draft {
  return before && before.values === after.values && before.tab === after.tab
    ? after
    : { ...after, savedAt: now }
}

/** A store that cannot be read has nothing to give back; writing to it says why. */
async function undefinedOnFault<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof StorageFault) return undefined
    throw error
  }
}

function contextOf({ applicantId }: ApplicantKey, applicationId: string): string {
  return `${applicantId}/${applicationId}`
}
