import type { ApplicantKey } from './applicant-key.ts'
import { type DraftContext, followMoveOrDeletion, followWrites, readCurrent } from './draft-context.ts'
import { rowIdOf } from './draft-rows.ts'
import type { Draft } from './draft.ts'
import type { Drafts, FoundDraft, FoundDrafts, ReadFault } from './drafts.ts'
import { undefinedOnFault, valueOrFault } from './on-fault.ts'
import type { SaveFailureReason } from './storage-fault.ts'

type Reads = Pick<Drafts, 'find' | 'findAll' | 'read' | 'all' | 'resolveId' | 'moves'> & {
  /** Drops the drafts that the last `findAll` has read. */
  forget: () => void
}

/**
 * When the storage fails, `find` and `findAll` return the fault if it can hide a draft, and the drafts in memory if
 * this page has an `ApplicantKey`, also one without a `key`.
 */
export function createReads(context: DraftContext): Reads {
  const { rows, unsaved, applicantKey } = context
  const { find, findAll, forget } = createFinds(context)

  return {
    find,
    findAll,
    forget,
    read: async applicationId => (await find(applicationId)).draft,
    all: async () =>
      (await findAll()).found.flatMap(({ applicationId, draft }) => (draft ? { applicationId, draft } : [])),
    async resolveId(applicationId) {
      const reader = await undefinedOnFault(applicantKey())
      const movedTo = reader && (await undefinedOnFault(rows.findMove(reader, applicationId)))
      if (!reader || movedTo === undefined) return applicationId
      const rowId = rowIdOf(reader, applicationId)
      if (unsaved.hasUnwritten(rowId)) unsaved.followMove(rowId, rowIdOf(reader, movedTo))
      return movedTo
    },
    async moves() {
      const reader = await undefinedOnFault(applicantKey())
      return reader && undefinedOnFault(rows.readMoves(reader))
    },
  }
}

function createFinds(context: DraftContext): Pick<Reads, 'find' | 'findAll' | 'forget'> {
  const { rows, unsaved, applicantKey } = context
  const faults = createFaults()
  /**
   * The drafts of the last `findAll` that could read the storage, by row id; undefined for a row without a readable
   * draft.
   */
  let lastRead: ReadonlyMap<string, Draft | undefined> = new Map()
  const lastKnown = (rowId: string) => unsaved.lastKnown(rowId) ?? lastRead.get(rowId)

  async function find(applicationId: string): Promise<FoundDraft> {
    const { value: reader, reason } = await valueOrFault(applicantKey())
    if (!reader) return { draft: undefined, fault: faults.withoutKey(reason) }
    const current = await valueOrFault(readCurrent(context, reader, applicationId))
    if (!current.value)
      return { draft: lastKnown(rowIdOf(reader, applicationId)), fault: faults.of(current.reason) }
    faults.learnRead()
    const { draft, row } = current.value
    if (draft || row.unreadable) return { draft, fault: row.unreadable && 'unreadable' }
    // The draft may have moved since the caller resolved its id.
    const moved = await valueOrFault(rows.findMove(reader, applicationId))
    if (moved.value === undefined) return { draft: undefined, fault: faults.of(moved.reason) }
    return find(moved.value)
  }

  /** What this page knows of all rows, while the storage fails. */
  function listLastRead(reader: ApplicantKey, fault: ReadFault | undefined): FoundDrafts['found'] {
    const prefix = rowIdOf(reader, '')
    const rowIds = [...lastRead.keys()].filter(rowId => rowId.startsWith(prefix))
    return rowIds.map(id => ({ applicationId: id.slice(prefix.length), draft: lastKnown(id), fault }))
  }

  async function findAll(): Promise<FoundDrafts> {
    const { value: reader, reason } = await valueOrFault(applicantKey())
    if (!reader) return { found: [], fault: faults.withoutKey(reason) }
    const stored = await valueOrFault(readStored(context, reader))
    if (stored.value) {
      faults.learnRead()
      lastRead = new Map(
        stored.value.map(({ applicationId, draft }) => [rowIdOf(reader, applicationId), draft]),
      )
    }
    const fault = faults.of(stored.reason)
    const found = stored.value ?? listLastRead(reader, fault)
    const ids = new Set(found.map(({ applicationId }) => applicationId))
    for (const [applicationId, draft] of unsaved.all(rowIdOf(reader, '')))
      if (!ids.has(applicationId)) found.push({ applicationId, draft, fault })
    return { found, fault }
  }

  return { find, findAll, forget: () => void (lastRead = new Map()) }
}

async function readStored(context: DraftContext, reader: ApplicantKey): Promise<FoundDrafts['found']> {
  const { rows, unsaved } = context
  const found = await rows.readAll(reader)
  const stored = new Set(found.map(({ applicationId }) => applicationId))
  for (const applicationId of unsaved.unwrittenIds(rowIdOf(reader, '')))
    if (!stored.has(applicationId)) await followMoveOrDeletion(context, reader, applicationId)
  return found.map(({ applicationId, row }) => {
    const rowId = rowIdOf(reader, applicationId)
    followWrites(context, rowId, row)
    return { applicationId, draft: unsaved.merge(rowId, row), fault: row.draft ? undefined : 'unreadable' }
  })
}

/** Turns a failure of the storage into the fault of a read; undefined when it can hide no draft. */
function createFaults() {
  let hasRead = false

  /** A browser that forbids storage has no drafts; one that forbids it after this page has read them may still have them. */
  function faultOf(reason: SaveFailureReason | undefined): ReadFault | undefined {
    if (reason !== 'refused') return reason
    return hasRead ? 'lost' : undefined
  }

  return {
    of: faultOf,
    /** Without a key this page cannot read the rows of its applicant. */
    withoutKey: (reason: SaveFailureReason | undefined) => (reason ? faultOf(reason) : 'unreadable'),
    /** The browser has let this page read its storage. */
    learnRead: () => void (hasRead = true),
  }
}
