import { createListeners } from '#device/observable.ts'
import type { FormValues } from '#contract/application.ts'
import type { Session } from '#session/session.ts'
import type { Draft, Stuck } from '#store/draft.ts'
import type { Drafts, FoundDraft, FoundDrafts, ReadFault } from '#store/drafts.ts'
import { isChanged } from './next-step.ts'
import { isFromBackup, mergeDraft } from './merge-draft.ts'
import { createLatestReader } from './latest-reader.ts'
import type { Conflict } from './merge.ts'
import { unsendableFields } from './unsendable-fields.ts'

/** Where the draft of one application is between this device and the server (D30). */
export type SyncStatus =
  /** This device has no draft. */
  | { kind: 'none' }
  /** This device may have a draft that it cannot read now (D74). */
  | { kind: 'unreadable'; fault: ReadFault }
  /** The server has `draft`, but this device may have newer answers that it cannot read now (D74). */
  | { kind: 'unreadable'; fault: ReadFault; draft: Draft }
  /**
   * Only a Submit and the `read` of a `Sync` return this: the page could not open the drafts or save this one, or another tab
   * has the form.
   */
  | { kind: 'not-saved' }
  /** On this device only: the server accepts complete forms only, or this page does not know yet what it accepts. */
  | { kind: 'saved'; draft: Draft }
  | { kind: 'unsent'; draft: Draft }
  | { kind: 'sending'; draft: Draft }
  /** The last attempt failed, for example without an answer of the server; the engine retries. */
  | { kind: 'waiting'; draft: Draft }
  /** `at`: wall clock in milliseconds; 0 when the time is not known. */
  | { kind: 'sent'; at: number; draft: Draft }
  | { kind: 'stuck'; stuck: Stuck; draft: Draft }
  /** `isRestored`: the server has other answers because it was restored from a backup (D62). */
  | { kind: 'conflict'; conflicts: Conflict[]; merged: FormValues; isRestored: boolean; draft: Draft }

/** Whether a read waits until this page knows if the server accepts drafts. */
export type ReadOptions = { waitsForServer: boolean }

type SyncStatusEntry = { applicationId: string; status: SyncStatus }

export type SyncStatusSource = {
  subscribe: (listener: () => void) => () => void
  /** The status at the last read; the same object until it changes. */
  status: (applicationId: string) => SyncStatus
  list: () => readonly SyncStatusEntry[]
  /** Why the last read of the store failed: then the list may lack drafts (D74). */
  listFault: () => ReadFault | undefined
  /** Reads all drafts again; `subscribe` reports the changes. */
  readAgain: () => void
  /**
   * Reads the store. Without `waitsForServer`, a changed draft is `saved` while this page does not know whether the
   * server accepts drafts. @throws when the code of the store does not load; the `read` of a `Sync` is then `not-saved`.
   */
  read: (applicationId: string, options?: ReadOptions) => Promise<SyncStatus>
}

/** For the engine: it knows of a change before the store reports it. */
export type WritableStatusSource = SyncStatusSource & {
  /** Sets the status of a saved draft that is in the list, so that no screen shows the old status until the next read. */
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
  // `attempts` also counts failed reads, after which perhaps nothing waits to be sent.
  if (isUnsent && draft.attempts > 0) return { kind: 'waiting', draft }
  if (draft.sending) return { kind: 'sending', draft }
  if (isUnsent) return { kind: 'unsent', draft }
  if (isChanged(draft)) return { kind: 'saved', draft }
  const unsendable = unsendableFields(draft.values)
  if (unsendable.length > 0)
    return { kind: 'stuck', stuck: { kind: 'unfit', fields: [...unsendable] }, draft }
  return { kind: 'sent', at: draft.base?.at ?? 0, draft }
}

/** A draft with unsent changes keeps its status: `unreadable` would hide that they are unsent. */
function statusOfFound({ draft, fault }: FoundDraft, acceptsDrafts: boolean): SyncStatus {
  const status = syncStatusOf(draft, acceptsDrafts)
  if (fault === undefined || (status.kind !== 'none' && status.kind !== 'sent')) return status
  return draft ? { kind: 'unreadable', fault, draft } : { kind: 'unreadable', fault }
}

/** Follows the store, also when another tab writes to it; the list is empty while no applicant is signed in. */
export function createSyncStatusSource(parts: Parts): WritableStatusSource {
  const { openDrafts, session, acceptsDrafts } = parts
  const statuses = createStatusList()
  const moves = createKnownMoves(parts.onMoved)
  let isWatching = false
  let accepts = false

  const isSignedIn = () => session.state().kind === 'signed-in'

  const reader = createLatestReader(async () => {
    const drafts = await openDrafts().catch(() => undefined)
    const all = (await drafts?.findAll()) ?? { found: [], fault: 'lost' }
    const ids = all.found.map(({ applicationId }) => applicationId).join(' ')
    const newestMoves = moves.mayHaveChanged(ids) ? await drafts?.moves() : undefined
    accepts = (await acceptsDrafts()) === true
    return () => statuses.setAll(all, { accepts, isMoved: moves.learn(ids, newestMoves) })
  })

  async function update() {
    if (isSignedIn()) return reader.read()
    // The list is cleared at once and does not wait for a response of the server.
    reader.cancel()
    moves.expire()
    statuses.setAll({ found: [] }, { accepts })
  }

  async function watchStore() {
    if (isWatching || !isSignedIn()) return
    isWatching = true
    const drafts = await openDrafts().catch(() => undefined)
    isWatching = drafts !== undefined
    drafts?.watch(() => void update())
  }

  const watchAndUpdate = () => void watchStore().then(update)
  session.subscribe(watchAndUpdate)
  watchAndUpdate()

  return {
    subscribe: statuses.subscribe,
    status: statuses.of,
    list: statuses.list,
    listFault: statuses.fault,
    readAgain: () => void update(),
    serverIdOf: moves.serverIdOf,
    setDraft: (id, draft) => statuses.setDraft(id, draft, accepts),
    async read(id, { waitsForServer } = { waitsForServer: true }) {
      const found = await (await openDrafts()).find(id)
      // The storage has failed, or works again, since the last read of all drafts.
      if (found.fault !== undefined || statuses.of(id).kind === 'unreadable') void update()
      return statusOfFound(found, waitsForServer ? (await acceptsDrafts()) === true : accepts)
    },
  }
}

/** The statuses of the last read of all drafts, and the fault of that read. */
function createStatusList() {
  const { subscribe, emit } = createListeners()
  const cachedStatusOf = createStatusCache()
  let entries: readonly SyncStatusEntry[] = []
  let listFault: ReadFault | undefined

  function setEntries(next: readonly SyncStatusEntry[], fault: ReadFault | undefined, isMoved = false) {
    if (isSameList(next, entries) && fault === listFault && !isMoved) return
    listFault = fault
    entries = next
    emit()
  }

  return {
    subscribe,
    list: () => entries,
    fault: () => listFault,
    /** A draft that is not in the list is `none`, or `unreadable` when the last read has failed. */
    of: (id: string) =>
      entries.find(({ applicationId }) => applicationId === id)?.status ??
      cachedStatusOf({ draft: undefined, fault: listFault }, false),
    setAll({ found, fault }: FoundDrafts, { accepts, isMoved }: { accepts: boolean; isMoved?: boolean }) {
      const next = found.map(({ applicationId, ...each }) => ({
        applicationId,
        status: cachedStatusOf(each, accepts),
      }))
      setEntries(next, fault, isMoved)
    },
    setDraft(id: string, draft: Draft, accepts: boolean) {
      const status = cachedStatusOf({ draft, fault: listFault }, accepts)
      setEntries(withStatus(entries, id, status), listFault)
    },
  }
}

/** The moves of drafts from their local ids to the server's, as of the last read of the store. */
function createKnownMoves(onMoved: () => void) {
  let known: ReadonlyMap<string, string> | undefined
  /** The ids of the drafts when the moves were read last. */
  let knownIds: string | undefined
  return {
    /** A move changes the ids of the drafts. Most changes are of answers: for these the moves are not read again. */
    mayHaveChanged: (ids: string) => ids !== knownIds,
    /** The next applicant may have drafts under the same ids: the next read of the drafts reads the moves too. */
    expire: () => void (knownIds = undefined),
    /** Returns whether a draft was moved since the last read. `next`: undefined when the moves were not read. */
    learn(ids: string, next: ReadonlyMap<string, string> | undefined): boolean {
      const isMoved = known !== undefined && next !== undefined && next.size > known.size
      if (next) knownIds = ids
      known = next ?? known
      if (isMoved) onMoved()
      return isMoved
    },
    serverIdOf: (id: string) => known?.get(id) ?? id,
  }
}

/** Returns the same object for the same draft and fault, so that React does not re-render. */
function createStatusCache(): (found: FoundDraft, acceptsDrafts: boolean) => SyncStatus {
  const caches = new Map<string, WeakMap<object, SyncStatus>>()
  const noDraft = {}
  return (found, acceptsDrafts) => {
    const { draft = noDraft, fault } = found
    const key = `${acceptsDrafts} ${fault}`
    const cache = caches.get(key) ?? new WeakMap()
    caches.set(key, cache)
    const status = cache.get(draft) ?? statusOfFound(found, acceptsDrafts)
    cache.set(draft, status)
    return status
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
