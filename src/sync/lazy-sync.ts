import { createListeners } from '#device/observable.ts'
import type { Session } from '#session/session.ts'
import type { Sync } from './engine.ts'
import { isLocal } from './local-id.ts'
import type { SyncStatus } from './sync-status.ts'

type Parts = {
  /** Loads the engine, the same one each time. Its code is in the chunk of the form. */
  load: () => Promise<Sync>
  session: Pick<Session, 'state' | 'subscribe'>
}

const noStatus: SyncStatus = { kind: 'none' }
const notSaved: SyncStatus = { kind: 'not-saved' }
const noEntries: ReturnType<Sync['list']> = []

/**
 * A `Sync` that loads its engine at the sign-in, or at the first call of `refresh` or of a function that returns a promise,
 * because the pages before need none. Until then it knows no draft. `resolveId` loads the engine only for a local id.
 */
export function createLazySync({ load, session }: Parts): Sync {
  const { subscribe, emit } = createListeners()
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

  session.subscribe(() => {
    // A load that fails here is repeated by the screen that calls the engine.
    if (session.state().kind === 'signed-in') void loadSync().catch(() => undefined)
  })

  const forward = createForward(loadSync)
  const refresh = forward(sync => sync.refresh, returnUndefined)
  const resolveId = forward(sync => sync.resolveId)

  return {
    subscribe,
    status: id => loaded?.status(id) ?? noStatus,
    list: () => loaded?.list() ?? noEntries,
    listFault: () => loaded?.listFault(),
    readAgain: () => loaded?.readAgain(),
    // Before the engine is loaded this page knows no moves of drafts; `resolveId` loads it.
    serverIdOf: id => loaded?.serverIdOf(id) ?? id,
    refresh: id => void refresh(id),
    resolveId: async id => (isLocal(id) ? resolveId(id) : id),
    read: forward(
      sync => sync.read,
      () => notSaved,
    ),
    save: forward(
      sync => sync.save,
      () => ({ kind: 'not-saved', reason: 'refused', draft: undefined }),
    ),
    restore: forward(
      sync => sync.restore,
      () => ({ kind: 'not-saved', reason: 'refused', draft: undefined }),
    ),
    submit: forward(
      sync => sync.submit,
      () => notSaved,
    ),
    startLocal: forward(sync => sync.startLocal, returnUndefined),
    restart: forward(sync => sync.restart, returnUndefined),
    flush: forward(sync => sync.flush, returnUndefined),
    resolveConflicts: forward(sync => sync.resolveConflicts),
    discard: forward(sync => sync.discard),
    saveConfirmed: forward(sync => sync.saveConfirmed),
    remove: forward(sync => sync.remove),
    removeLocal: forward(sync => sync.removeLocal),
  }
}

/** Makes functions that load the engine and call it. When the load fails, they return `fallback()`, or throw. */
function createForward(loadSync: () => Promise<Sync>) {
  return <Args extends unknown[], Result>(
    pick: (sync: Sync) => (...args: Args) => Result | Promise<Result>,
    fallback: (error: unknown) => Result = rethrow,
  ): ((...args: Args) => Promise<Result>) =>
    (...args) =>
      loadSync().then(sync => pick(sync)(...args), fallback)
}

function returnUndefined(): undefined {}

function rethrow(error: unknown): never {
  throw error
}
