import { createListeners } from '#device/observable.ts'
import type { FormValues } from '#contract/application.ts'
import type { Session } from '#session/session.ts'
import type { Draft, Stuck } from '#store/draft.ts'
import type { Drafts } from '#store/drafts.ts'
import { isChanged, isFromBackup, mergeDraft } from './draft-reducer.ts'
import type { Conflict } from './merge.ts'
import { unsendableFields } from './unsendable-fields.ts'

/** Where the draft of one application is between this device and the server (D30). */
export type SyncStatus =
  /** This device has no draft. */
  | { kind: 'none' }
  | { kind: 'not-saved' }
  /** On this device only, because the server accepts complete forms only. */
  | { kind: 'saved'; draft: Draft }
  | { kind: 'unsent'; draft: Draft }
  | { kind: 'sending'; draft: Draft }
  /** The server did not answer; the engine retries. */
  | { kind: 'waiting'; draft: Draft }
  /** `at`: wall clock in milliseconds; 0 when the time is not known. */
  | { kind: 'sent'; at: number; draft: Draft }
  | { kind: 'stuck'; stuck: Stuck; draft: Draft }
  /** `isRestored`: the server has other answers because it was restored from a backup (D62). */
  | { kind: 'conflict'; conflicts: Conflict[]; merged: FormValues; isRestored: boolean; draft: Draft }

/** Whether a read waits until this page knows if the server takes drafts. */
export type ReadOptions = { waitsForServer: boolean }

type SyncStatusEntry = { applicationId: string; status: SyncStatus }

export type SyncStatusSource = {
  subscribe: (listener: () => void) => () => void
  /** The status at the last read; the same object until it changes. */
  status: (applicationId: string) => SyncStatus
  list: () => readonly SyncStatusEntry[]
  /**
   * Reads the store. Without `waitsForServer`, a changed draft is `saved` while this page does not know whether the
   * server takes drafts. @throws when the store cannot be opened.
   */
  read: (applicationId: string, options?: ReadOptions) => Promise<SyncStatus>
}

/** For the engine: it knows of a change before the store reports it. */
export type WritableStatusSource = SyncStatusSource & {
  /** Sets the status of a draft that was just saved, so that no screen shows the one before it. */
  setDraft: (applicationId: string, draft: Draft) => void
  /** The server's id of a draft that this or another tab has moved; every other id as it is. */
  serverIdOf: (id: string) => string
}

type Parts = {
  /** Another tab, or this one, has moved a draft since this page started. */
  onMoved: () => void
  openDrafts: () => Promise<Drafts>
  session: Pick<Session, 'state' | 'subscribe'>
  acceptsDrafts: () => Promise<boolean | undefined>
}

export function syncStatusOf(draft: Draft | undefined, acceptsDrafts: boolean): SyncStatus {
  if (!draft) return { kind: 'none' }
  if (draft.stuck) return { kind: 'stuck', stuck: draft.stuck, draft }
  if (draft.theirs) {
    const { conflicts, values } = mergeDraft(draft, draft.theirs)
    const isRestored = draft.theirs.version !== undefined && isFromBackup(draft.theirs, draft.base)
    return { kind: 'conflict', conflicts, merged: values, isRestored, draft }
  }
  const isUnsent = draft.create || draft.sending || draft.submitted || (acceptsDrafts && isChanged(draft))
  // A read can fail too: then nothing waits to be sent.
  if (isUnsent && draft.attempts > 0) return { kind: 'waiting', draft }
  if (draft.sending) return { kind: 'sending', draft }
  if (isUnsent) return { kind: 'unsent', draft }
  if (isChanged(draft)) return { kind: 'saved', draft }
  const unsendable = unsendableFields(draft.values)
  if (unsendable.length > 0)
    return { kind: 'stuck', stuck: { kind: 'unfit', fields: [...unsendable] }, draft }
  return { kind: 'sent', at: draft.base?.at ?? 0, draft }
}

const noStatus: SyncStatus = { kind: 'none' }

/** Follows the store, also when another tab writes to it; the list is empty while no applicant is signed in. */
export function createSyncStatusSource(parts: Parts): WritableStatusSource {
  const { openDrafts, session, acceptsDrafts } = parts
  const { subscribe, emit } = createListeners()
  const cachedStatusOf = createStatusCache()
  let entries: readonly SyncStatusEntry[] = []
  const moves = createKnownMoves(parts.onMoved)
  let isWatching = false
  let accepts = false

  const isSignedIn = () => session.state().kind === 'signed-in'

  const reader = createLatestReader(async () => {
    const drafts = await openDrafts().catch(() => undefined)
    const all = (await drafts?.all()) ?? []
    const newestMoves = await drafts?.moves()
    accepts = (await acceptsDrafts()) === true
    const entryOf = ({ applicationId, draft }: (typeof all)[number]) => ({
      applicationId,
      status: cachedStatusOf(draft, accepts),
    })
    return () => setEntries(all.map(entryOf), moves.learn(newestMoves))
  })

  function setEntries(next: readonly SyncStatusEntry[], isMoved = false) {
    if (isSameList(next, entries) && !isMoved) return
    entries = next
    emit()
  }

  async function update() {
    if (isSignedIn()) return reader.read()
    // The list is cleared at once and does not wait for a response of the server.
    reader.cancel()
    setEntries([])
  }

  async function watchStore() {
    if (isWatching || !isSignedIn()) return
    isWatching = true
    const drafts = await openDrafts().catch(() => undefined)
    drafts?.watch(() => void update())
  }

  const watchAndUpdate = () => void watchStore().then(update)
  session.subscribe(watchAndUpdate)
  watchAndUpdate()

  return {
    subscribe,
    status: id => entries.find(({ applicationId }) => applicationId === id)?.status ?? noStatus,
    list: () => entries,
    serverIdOf: moves.serverIdOf,
    setDraft: (id, draft) => setEntries(withStatus(entries, id, cachedStatusOf(draft, accepts))),
    async read(id, { waitsForServer } = { waitsForServer: true }) {
      const draft = await (await openDrafts()).read(id)
      return syncStatusOf(draft, waitsForServer ? (await acceptsDrafts()) === true : accepts)
    },
  }
}

/** The moves of drafts from their local ids to the server's, as of the last read of the store. */
function createKnownMoves(onMoved: () => void) {
  let known: ReadonlyMap<string, string> | undefined
  return {
    /** Returns whether a draft was moved since the last read. */
    learn(next: ReadonlyMap<string, string> | undefined): boolean {
      const isMoved = known !== undefined && next !== undefined && next.size > known.size
      known = next ?? known
      if (isMoved) onMoved()
      return isMoved
    },
    serverIdOf: (id: string) => known?.get(id) ?? id,
  }
}

/** Returns the same object for the same draft, so that React does not re-render. */
function createStatusCache(): (draft: Draft, acceptsDrafts: boolean) => SyncStatus {
  let cache = new WeakMap<Draft, SyncStatus>()
  let cachedFor = false
  return (draft, acceptsDrafts) => {
    if (acceptsDrafts !== cachedFor) cache = new WeakMap()
    cachedFor = acceptsDrafts
    const status = cache.get(draft) ?? syncStatusOf(draft, acceptsDrafts)
    cache.set(draft, status)
    return status
  }
}

type LatestReader = {
  /** Requests that arrive during a read are answered by one further read, however many there are. */
  read: () => Promise<void>
  /** Drops the result of the running read, which may hang. */
  cancel: () => void
}

/** `readOnce` reads, and resolves to a function that applies the result; only the latest result is applied. */
function createLatestReader(readOnce: () => Promise<() => void>): LatestReader {
  let requestCount = 0
  let currentRead: object | undefined
  return {
    async read() {
      requestCount += 1
      if (currentRead) return
      const ownRead = {}
      currentRead = ownRead
      try {
        for (;;) {
          const requestNumber = requestCount
          const apply = await readOnce()
          if (requestNumber === requestCount) apply()
          if (currentRead !== ownRead || requestNumber === requestCount) return
        }
      } finally {
        if (currentRead === ownRead) currentRead = undefined
      }
    },
    cancel() {
      requestCount += 1
      currentRead = undefined
    },
  }
}

function withStatus(entries: readonly SyncStatusEntry[], id: string, status: SyncStatus) {
  return entries.map(entry => (entry.applicationId === id ? { ...entry, status } : entry))
}

function isSameList(next: readonly SyncStatusEntry[], before: readonly SyncStatusEntry[]): boolean {
  return (
    next.length === before.length &&
    next.every(
      ({ applicationId, status }, index) =>
        applicationId === before[index]?.applicationId && status === before[index].status,
    )
  )
}
