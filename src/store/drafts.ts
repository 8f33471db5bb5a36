import { Dexie, type ObservabilitySet } from 'dexie'
import type { Database, DraftRow, Sealed } from './database.ts'
import { emptyForm, type FormValues } from '#contract/application.ts'
import { type Draft, readDraft } from './draft.ts'
import type { Guard } from './guard.ts'
import type { Owner } from './owner.ts'
import { seal, unseal } from './seal.ts'
import { StorageFault, type WhyNotKept } from './storage-fault.ts'

/**
 * What became of a write: the truth line says nothing else (D30). A draft that the device cannot keep goes on in
 * this page, for as long as it is open.
 */
export type Kept =
  | { kind: 'kept'; draft: Draft | undefined }
  | { kind: 'not-kept'; why: WhyNotKept; draft: Draft | undefined }

/** What a change makes of a draft: another one, the same one (nothing is written), or none. */
export type Change = (draft: Draft | undefined) => Draft | undefined

/** The forms in progress of the applicant who is signed in; nobody else's can be read. */
export type Drafts = {
  read(applicationId: string): Promise<Draft | undefined>
  all(): Promise<{ applicationId: string; draft: Draft }[]>
  /** Changes a draft in one piece: when somebody else was faster, the change is worked out anew on theirs. */
  update(applicationId: string, change: Change): Promise<Kept>
  /** A form that was started without the line goes under the server's id; `to` may refuse what it finds there. */
  move(
    localId: string,
    applicationId: string,
    to: (draft: Draft, standing: Draft | undefined) => Draft | undefined,
  ): Promise<'moved' | 'taken'>
  /** The id under which a form goes on; its own where it never moved. */
  whereabouts(applicationId: string): Promise<string>
  /** Calls after every change, of other tabs too. */
  watch(listener: () => void): () => void
}

/**
 * Two drafts of one form: what is stored, and what was typed on one of its forerunners, as that was known. The store
 * keeps drafts and does not know how answers meet.
 */
export type Rejoin = (stored: Draft, typed: { values: FormValues; tab: string; known: Draft }) => Draft

export type DraftParts = {
  database: Database
  rejoin: Rejoin
  guard: Guard
  owner: () => Promise<Owner | undefined>
  now: () => number
}

/** `forget` drops what only this page holds. */
export function createDrafts(parts: DraftParts): Drafts & { forget: () => void } {
  const { database, guard, owner, now } = parts
  /** What the device could not keep, and the row that it grew from. */
  const unkept = new Map<string, Unkept>()
  /** The rows as they were when they could last be read. */
  const seen = new Map<string, Row>()
  /** Rows as they were opened or sealed last: what was not written since need not be opened again. */
  const openedRows = new Map<string, Opened>()
  const watchers = new Set<() => void>()

  function setUnkept(context: string, next: Unkept | undefined) {
    const before = unkept.get(context)
    if (next) unkept.set(context, next)
    else unkept.delete(context)
    if (before?.draft !== next?.draft) tellWatchers()
  }

  function tellWatchers() {
    for (const watcher of watchers) watcher()
  }

  /** What holds now: another tab may have kept its own meanwhile, and neither may overwrite the other unseen. */
  function present(context: string, row: Row): Draft | undefined {
    const held = unkept.get(context)
    if (!held) return row.draft
    if (!row.draft || row.revision === held.revision) return held.draft
    const known = held.from ?? { ...held.draft, values: held.draft.base?.values ?? emptyForm() }
    // Of two answers to one question the later one holds.
    const [first, last] =
      held.draft.savedAt < row.draft.savedAt ? [held.draft, row.draft] : [row.draft, held.draft]
    const { values, tab } = last
    return parts.rejoin({ ...row.draft, values: first.values }, { values, tab, known })
  }

  async function openRow(reader: Owner, row: DraftRow): Promise<Draft | undefined> {
    const context = contextOf(reader, row.applicationId)
    const known = openedRows.get(context)
    if (known && known.key === reader.key && isSame(known.sealed, row.sealed)) return known.draft
    const found = await unseal(reader.key, row.sealed, context)
    if (found === undefined) return undefined
    const draft = readDraft(found, row)
    openedRows.set(context, { key: reader.key, sealed: row.sealed, draft })
    return draft
  }

  /** False when the row is no longer the one that was read: nothing is written then. */
  function replace(place: [string, string], before: number | undefined, next: DraftRow | undefined) {
    return guard(() =>
      database.transaction('rw', database.drafts, async () => {
        const standing = await database.drafts.get(place)
        if (standing?.revision !== before) return false
        if (next) await database.drafts.put({ ...next, revision: (before ?? 0) + 1 })
        else await database.drafts.delete(place)
        return true
      }),
    )
  }

  async function readOwn(reader: Owner, applicationId: string) {
    const found = await guard(() => database.drafts.get([reader.applicantId, applicationId]))
    const row: Row = { revision: found?.revision, draft: found && (await openRow(reader, found)) }
    const context = contextOf(reader, applicationId)
    seen.set(context, row)
    return { row, draft: present(context, row) }
  }

  async function readAll(reader: Owner): Promise<[string, Draft][]> {
    const rows = await guard(() => database.drafts.where({ applicantId: reader.applicantId }).toArray())
    const opened = await Promise.all(
      rows.map(async row => {
        const draft = await openRow(reader, row)
        const { applicationId: id, revision } = row
        return [id, present(contextOf(reader, id), { revision, draft })] as const
      }),
    )
    return opened.flatMap(([id, draft]) => (draft ? [[id, draft] satisfies [string, Draft]] : []))
  }

  function unkeptOf(reader: Owner): [string, Draft][] {
    const own = contextOf(reader, '')
    return [...unkept].flatMap(([context, { draft }]) =>
      context.startsWith(own) ? [[context.slice(own.length), draft] satisfies [string, Draft]] : [],
    )
  }

  /** One try: undefined when somebody else was faster. */
  async function tryChange(writer: Owner, applicationId: string, change: Change): Promise<Kept | undefined> {
    const context = contextOf(writer, applicationId)
    const before = await readOwn(writer, applicationId)
    const changed = change(before.draft)
    if (changed === before.draft && !unkept.has(context)) return { kind: 'kept', draft: changed }
    const draft = changed && stampChange(before.draft, changed, now())
    const next = draft && (await sealRow(writer, applicationId, draft))
    try {
      if (!(await replace([writer.applicantId, applicationId], before.row.revision, next))) return undefined
      seen.set(context, { revision: (before.row.revision ?? 0) + 1, draft })
      if (draft && next) openedRows.set(context, { key: writer.key, sealed: next.sealed, draft })
      setUnkept(context, undefined)
      return { kind: 'kept', draft }
    } catch (error) {
      if (!(error instanceof StorageFault)) throw error
      const { revision, draft: from } = before.row
      setUnkept(context, draft && { draft, revision, from })
      return { kind: 'not-kept', why: error.why, draft }
    }
  }

  /** Where not even reading goes. */
  function changeUnkept(context: string, change: Change, why: WhyNotKept): Kept {
    const held = unkept.get(context)
    const before = held?.draft ?? seen.get(context)?.draft
    const changed = change(before)
    const draft = changed && changed !== before ? stampChange(before, changed, now()) : changed
    const row = seen.get(context)
    const grown =
      held ?? (row ? { revision: row.revision, from: row.draft } : { revision: 'unread', from: undefined })
    setUnkept(context, draft && { ...grown, draft })
    return { kind: 'not-kept', why, draft }
  }

  return {
    async read(applicationId) {
      const reader = await orNone(owner())
      if (!reader) return undefined
      const found = await orNone(readOwn(reader, applicationId))
      if (found) return found.draft
      const context = contextOf(reader, applicationId)
      return unkept.get(context)?.draft ?? seen.get(context)?.draft
    },
    async all() {
      const reader = await orNone(owner())
      if (!reader) return []
      const found = new Map([...unkeptOf(reader), ...((await orNone(readAll(reader))) ?? [])])
      return [...found].map(([applicationId, draft]) => ({ applicationId, draft }))
    },
    async update(applicationId, change) {
      for (;;) {
        const writer = await orNone(owner())
        if (!writer) return { kind: 'not-kept', why: 'refused', draft: undefined }
        try {
          const kept = await tryChange(writer, applicationId, change)
          if (kept) return kept
        } catch (error) {
          if (!(error instanceof StorageFault)) throw error
          return changeUnkept(contextOf(writer, applicationId), change, error.why)
        }
      }
    },
    async move(localId, applicationId, to) {
      for (;;) {
        const mover = await owner()
        const before = mover && (await readOwn(mover, localId))
        if (!mover || !before?.draft) return 'moved' // by another tab
        const there = await readOwn(mover, applicationId)
        const moved = to(before.draft, there.draft)
        if (!moved) return 'taken'
        const { applicantId } = mover
        const next = await sealRow(mover, applicationId, moved)
        const done = await guard(() =>
          database.transaction('rw', database.drafts, database.moves, async () => {
            const local = await database.drafts.get([applicantId, localId])
            const standing = await database.drafts.get([applicantId, applicationId])
            if (local?.revision !== before.row.revision || standing?.revision !== there.row.revision)
              return false
            await database.drafts.put({ ...next, revision: (standing?.revision ?? 0) + 1 })
            await database.drafts.delete([applicantId, localId])
            await database.moves.put({ applicantId, localId, applicationId })
            return true
          }),
        )
        if (!done) continue
        for (const context of [contextOf(mover, localId), contextOf(mover, applicationId)]) {
          seen.delete(context)
          setUnkept(context, undefined)
        }
        return 'moved'
      }
    },
    async whereabouts(applicationId) {
      const reader = await orNone(owner())
      const find = (applicantId: string) => guard(() => database.moves.get([applicantId, applicationId]))
      const move = reader && (await orNone(find(reader.applicantId)))
      return move?.applicationId ?? applicationId
    },
    watch(listener) {
      const hear = (changed: ObservabilitySet) => {
        if (touches(database, changed)) listener()
      }
      Dexie.on('storagemutated', hear)
      watchers.add(listener)
      return () => {
        Dexie.on.storagemutated.unsubscribe(hear)
        watchers.delete(listener)
      }
    },
    forget() {
      unkept.clear()
      seen.clear()
      openedRows.clear()
    },
  }
}

type Row = { revision: number | undefined; draft: Draft | undefined }

/** `unread`: nobody could say what was stored. */
type Unkept = { draft: Draft; revision: number | undefined | 'unread'; from: Draft | undefined }

type Opened = { key: CryptoKey | undefined; sealed: Sealed; draft: Draft }

/** Whether drafts were written, or somebody came or went, in this tab or another. Its keys are `idb://base/table/index`. */
function touches(database: Database, changed: ObservabilitySet): boolean {
  const places = [database.drafts, database.keys].map(table => `idb://${database.name}/${table.name}/`)
  return Object.keys(changed).some(key => key === 'all' || places.some(place => key.startsWith(place)))
}

/** To the last byte: a text that was damaged meanwhile does not open. */
function isSame(one: Sealed, other: Sealed): boolean {
  return indexedDB.cmp(one.start, other.start) === 0 && indexedDB.cmp(one.text, other.text) === 0
}

async function sealRow(writer: Owner, applicationId: string, draft: Draft): Promise<DraftRow> {
  const { tab, savedAt, ...sealed } = draft
  return {
    applicantId: writer.applicantId,
    applicationId,
    sealed: await seal(writer.key, sealed, contextOf(writer, applicationId)),
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
async function orNone<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof StorageFault) return undefined
    throw error
  }
}

function contextOf({ applicantId }: Owner, applicationId: string): string {
  return `${applicantId}/${applicationId}`
}
