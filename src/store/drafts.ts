import { liveQuery } from 'dexie'
import type { Database, DraftRow, KeyRow } from './database.ts'
import { type Draft, readDraft } from './draft.ts'
import { seal, unseal } from './seal.ts'

/** What became of a write: the truth line says nothing else (D30). */
export type Kept = { kind: 'kept'; draft: Draft | undefined } | { kind: 'not-kept' }

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

export function createDrafts(database: Database, now: () => number): Drafts {
  /** False when the row is no longer the one that was read: nothing is written then. */
  function replace(place: [string, string], before: number | undefined, next: DraftRow | undefined) {
    return database.transaction('rw', database.drafts, async () => {
      const standing = await database.drafts.get(place)
      if (standing?.revision !== before) return false
      if (next) await database.drafts.put({ ...next, revision: (before ?? 0) + 1 })
      else await database.drafts.delete(place)
      return true
    })
  }

  async function readOwn(applicationId: string) {
    const owner = await database.keys.get('current')
    if (!owner) return undefined
    const row = await database.drafts.get([owner.applicantId, applicationId])
    return { owner, revision: row?.revision, draft: row && (await openRow(owner, row)) }
  }

  async function writeOwn(
    applicationId: string,
    { owner, revision, draft }: { owner: KeyRow; revision: number | undefined; draft: Draft | undefined },
  ): Promise<boolean> {
    const next = draft && (await close(owner, applicationId, draft))
    return replace([owner.applicantId, applicationId], revision, next)
  }

  return {
    async read(applicationId) {
      return (await unlessRefused(() => readOwn(applicationId)))?.draft
    },
    async all() {
      const owner = await unlessRefused(() => database.keys.get('current'))
      if (!owner) return []
      const rows = await database.drafts.where({ applicantId: owner.applicantId }).toArray()
      const found = await Promise.all(
        rows.map(async row => ({ applicationId: row.applicationId, draft: await openRow(owner, row) })),
      )
      return found.flatMap(({ applicationId, draft }) => (draft ? [{ applicationId, draft }] : []))
    },
    async update(applicationId, change) {
      for (;;) {
        const before = await unlessRefused(() => readOwn(applicationId))
        if (!before) return { kind: 'not-kept' }
        const changed = change(before.draft)
        if (changed === before.draft) return { kind: 'kept', draft: changed }
        const draft = changed && stampChange(before.draft, changed, now())
        const written = await unlessRefused(() => writeOwn(applicationId, { ...before, draft }))
        if (written === undefined) return { kind: 'not-kept' }
        if (written) return { kind: 'kept', draft }
      }
    },
    async move(localId, applicationId, to) {
      for (;;) {
        const before = await readOwn(localId)
        if (!before?.draft) return 'moved' // by another tab
        const there = await readOwn(applicationId)
        const moved = to(before.draft, there?.draft)
        if (!moved) return 'taken'
        const { applicantId } = before.owner
        const next = await close(before.owner, applicationId, moved)
        const done = await database.transaction('rw', database.drafts, database.moves, async () => {
          const local = await database.drafts.get([applicantId, localId])
          const standing = await database.drafts.get([applicantId, applicationId])
          if (local?.revision !== before.revision || standing?.revision !== there?.revision) return false
          await database.drafts.put({ ...next, revision: (standing?.revision ?? 0) + 1 })
          await database.drafts.delete([applicantId, localId])
          await database.moves.put({ applicantId, localId, applicationId })
          return true
        })
        if (done) return 'moved'
      }
    },
    async whereabouts(applicationId) {
      const owner = await unlessRefused(() => database.keys.get('current'))
      const move = owner && (await database.moves.get([owner.applicantId, applicationId]))
      return move?.applicationId ?? applicationId
    },
    watch(listener) {
      const query = liveQuery(() => Promise.all([database.drafts.toArray(), database.keys.toArray()]))
      const subscription = query.subscribe({ next: listener, error: () => undefined })
      return () => subscription.unsubscribe()
    },
  }
}

async function openRow(owner: KeyRow, row: DraftRow): Promise<Draft | undefined> {
  const opened = await unseal(owner.key, row.sealed, contextOf(owner, row.applicationId))
  return opened === undefined ? undefined : readDraft(opened, row)
}

async function close(owner: KeyRow, applicationId: string, draft: Draft): Promise<DraftRow> {
  const { tab, savedAt, ...sealed } = draft
  return {
    applicantId: owner.applicantId,
    applicationId,
    sealed: await seal(owner.key, sealed, contextOf(owner, applicationId)),
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

/** Quota, private mode, a store that the system closed: whoever typed goes on in memory and is told. */
async function unlessRefused<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await work()
  } catch {
    return undefined
  }
}

function contextOf(owner: KeyRow, applicationId: string): string {
  return `${owner.applicantId}/${applicationId}`
}
