import type { Session } from '#session/session.ts'
import type { Sync } from './engine.ts'
import { isLocal } from './local-id.ts'
import type { Standing } from './standings.ts'

type Parts = {
  /** Fetches what carries the work, the same one each time; it comes with the screens that make work. */
  load: () => Promise<Sync>
  session: Pick<Session, 'state' | 'subscribe'>
}

const nothing: Standing = { kind: 'none' }

/** The sync, once somebody has signed in: the pages before that have nothing to carry. */
export function createLaterSync({ load, session }: Parts): Sync {
  const listeners = new Set<() => void>()
  let here: Sync | undefined

  async function open(): Promise<Sync> {
    const sync = await load()
    if (here !== sync) {
      here = sync
      sync.subscribe(tell)
      tell()
    }
    return sync
  }

  function tell() {
    for (const listener of listeners) listener()
  }

  session.subscribe(() => {
    // One that cannot be had now is asked for by the screen that keeps something.
    if (session.state().kind === 'signed-in') void open().catch(() => undefined)
  })

  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    standing: id => here?.standing(id) ?? nothing,
    list: () => here?.list() ?? none,
    read: id => open().then(sync => sync.read(id), notKept),
    // Whoever typed is told.
    keep: (id, typed) =>
      open().then(
        sync => sync.keep(id, typed),
        () => ({ kind: 'not-kept', why: 'refused', draft: undefined }),
      ),
    look: id => void open().then(sync => sync.look(id), notKept),
    submit: (id, typed) => open().then(sync => sync.submit(id, typed), notKept),
    choose: async (id, picked) => (await open()).choose(id, picked),
    startLocal: key => open().then(sync => sync.startLocal(key), unknown),
    flush: id => open().then(sync => sync.flush(id), unknown),
    forget: async id => (await open()).forget(id),
    whereabouts: async id => (isLocal(id) ? (await open()).whereabouts(id) : id),
    // Nothing has gone anywhere before it was here.
    originOf: id => here?.originOf(id) ?? id,
  }
}

function notKept(): Standing {
  return { kind: 'not-kept' }
}

function unknown(): undefined {}

const none: ReturnType<Sync['list']> = []
