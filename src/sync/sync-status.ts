import type { FormValues } from '#contract/application.ts'
import type { Session } from '#session/session.ts'
import type { Draft, Stuck } from '#store/draft.ts'
import type { Drafts } from '#store/drafts.ts'
import { isChanged } from './draft-reducer.ts'
import { type Conflict, mergeForms } from './merge.ts'
import { unsendableFields } from './unsendable-fields.ts'

/** What is true of one application's answers between this device and the server (D30). */
export type SyncStatus =
  /** Nothing of it is kept here. */
  | { kind: 'none' }
  | { kind: 'not-kept' }
  /** Here, with a server that takes complete forms only. */
  | { kind: 'kept'; draft: Draft }
  | { kind: 'unsent'; draft: Draft }
  | { kind: 'sending'; draft: Draft }
  /** The server did not answer; it is tried again by itself. */
  | { kind: 'waiting'; draft: Draft }
  | { kind: 'sent'; at: number; draft: Draft }
  | { kind: 'stuck'; stuck: Stuck; draft: Draft }
  | { kind: 'choice'; conflicts: Conflict[]; merged: FormValues; draft: Draft }

export type SyncStatusEntry = { applicationId: string; status: SyncStatus }

export type SyncStatusSource = {
  subscribe: (listener: () => void) => () => void
  /** As last seen; the same object until it changes. */
  status: (applicationId: string) => SyncStatus
  list: () => readonly SyncStatusEntry[]
  /** As it is in the store at this moment. */
  read: (applicationId: string) => Promise<SyncStatus>
}

type Parts = {
  openDrafts: () => Promise<Drafts>
  session: Pick<Session, 'state' | 'subscribe'>
  acceptsDrafts: () => Promise<boolean | undefined>
}

export function syncStatusOf(draft: Draft | undefined, acceptsDrafts: boolean): SyncStatus {
  if (!draft) return { kind: 'none' }
  if (draft.stuck) return { kind: 'stuck', stuck: draft.stuck, draft }
  if (draft.theirs) {
    const { base, values: mine, theirs } = draft
    const { choices: conflicts, values } = mergeForms({ base: base?.values, mine, theirs: theirs.values })
    return { kind: 'choice', conflicts, merged: values, draft }
  }
  if (draft.attempts > 0) return { kind: 'waiting', draft }
  if (draft.sending) return { kind: 'sending', draft }
  if (draft.create || draft.submitted) return { kind: 'unsent', draft }
  if (isChanged(draft)) return { kind: acceptsDrafts ? 'unsent' : 'kept', draft }
  const unsendable = unsendableFields(draft.values)
  if (unsendable.length > 0)
    return { kind: 'stuck', stuck: { kind: 'unfit', fields: [...unsendable] }, draft }
  return { kind: 'sent', at: draft.base?.at ?? 0, draft }
}

const noStatus: SyncStatus = { kind: 'none' }

/** Follows the store, whichever tab writes to it. */
export function createSyncStatusSource({ openDrafts, session, acceptsDrafts }: Parts): SyncStatusSource {
  const listeners = new Set<() => void>()
  let entries: readonly SyncStatusEntry[] = []
  let cache = new WeakMap<Draft, SyncStatus>()
  let cachedAcceptsDrafts = false
  let requestCount = 0
  let currentRead: object | undefined
  let isWatching = false

  /** What is asked for while somebody looks is seen by one more look, however often it was asked. */
  async function readAll() {
    requestCount += 1
    // Nobody waits for an answer of the server before an applicant's work is out of sight.
    if (session.state().kind !== 'signed-in') {
      currentRead = undefined
      return setEntries([])
    }
    if (currentRead) return
    const ownRead = {}
    currentRead = ownRead
    try {
      for (;;) {
        const requestNumber = requestCount
        await readOnce(requestNumber)
        if (currentRead !== ownRead || requestNumber === requestCount) return
      }
    } finally {
      if (currentRead === ownRead) currentRead = undefined
    }
  }

  async function readOnce(requestNumber: number) {
    const drafts = await openDrafts().catch(() => undefined)
    const all = (await drafts?.all()) ?? []
    const accepts = (await acceptsDrafts()) === true
    if (requestNumber !== requestCount) return
    setEntries(
      all.map(({ applicationId, draft }) => ({ applicationId, status: cachedStatusOf(draft, accepts) })),
    )
  }

  /** The same draft stands as it stood: whoever shows it need not draw it anew. */
  function cachedStatusOf(draft: Draft, accepts: boolean): SyncStatus {
    if (accepts !== cachedAcceptsDrafts) cache = new WeakMap()
    cachedAcceptsDrafts = accepts
    const status = cache.get(draft) ?? syncStatusOf(draft, accepts)
    cache.set(draft, status)
    return status
  }

  function setEntries(next: readonly SyncStatusEntry[]) {
    if (isSameList(next, entries)) return
    entries = next
    for (const listener of listeners) listener()
  }

  async function watch() {
    if (isWatching || session.state().kind !== 'signed-in') return
    isWatching = true
    const drafts = await openDrafts().catch(() => undefined)
    drafts?.watch(() => void readAll())
  }

  const watchAndRead = () => void watch().then(readAll)
  session.subscribe(watchAndRead)
  watchAndRead()

  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    status: id => entries.find(({ applicationId }) => applicationId === id)?.status ?? noStatus,
    list: () => entries,
    async read(id) {
      const drafts = await openDrafts()
      return syncStatusOf(await drafts.read(id), (await acceptsDrafts()) === true)
    },
  }
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
