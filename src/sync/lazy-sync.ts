import type { Session } from '#session/session.ts'
import type { Sync } from './engine.ts'
import { isLocal } from './local-id.ts'
import type { SyncStatus } from './sync-status.ts'

type Parts = {
  /** Fetches what carries the work, the same one each time; it comes with the screens that make work. */
  load: () => Promise<Sync>
  session: Pick<Session, 'state' | 'subscribe'>
}

const noStatus: SyncStatus = { kind: 'none' }

/** The sync, once somebody has signed in: the pages before that have nothing to carry. */
export function createLazySync({ load, session }: Parts): Sync {
  const listeners = new Set<() => void>()
  let loaded: Sync | undefined

  async function loadSync(): Promise<Sync> {
    const sync = await load()
    if (loaded !== sync) {
      loaded = sync
      sync.subscribe(emit)
      emit()
    }
    return sync
  }

  function emit() {
    for (const listener of listeners) listener()
  }

  session.subscribe(() => {
    // One that cannot be had now is asked for by the screen that keeps something.
    if (session.state().kind === 'signed-in') void loadSync().catch(() => undefined)
  })

  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    status: id => loaded?.status(id) ?? noStatus,
    list: () => loaded?.list() ?? noEntries,
    read: id => loadSync().then(sync => sync.read(id), returnNotSaved),
    // Whoever typed is told.
    save: (id, typed) =>
      loadSync().then(
        sync => sync.save(id, typed),
        () => ({ kind: 'not-kept', reason: 'refused', draft: undefined }),
      ),
    refresh: id => void loadSync().then(sync => sync.refresh(id), returnNotSaved),
    submit: (id, typed) => loadSync().then(sync => sync.submit(id, typed), returnNotSaved),
    resolveConflicts: async (id, picked) => (await loadSync()).resolveConflicts(id, picked),
    startLocal: key => loadSync().then(sync => sync.startLocal(key), returnUndefined),
    flush: id => loadSync().then(sync => sync.flush(id), returnUndefined),
    discard: async id => (await loadSync()).discard(id),
    resolveId: async id => (isLocal(id) ? (await loadSync()).resolveId(id) : id),
    // Nothing has gone anywhere before it was here.
    localIdOf: id => loaded?.localIdOf(id) ?? id,
  }
}

function returnNotSaved(): SyncStatus {
  return { kind: 'not-kept' }
}

function returnUndefined(): undefined {}

const noEntries: ReturnType<Sync['list']> = []
