import { describe, expect, it } from 'vitest'
import { emptyForm } from '#contract/application.ts'
import { toApplicationId } from '#contract/id-text.ts'
import { ApplicantId } from '#contract/ids.ts'
import { createNotices } from '#app/notices.ts'
import { requireSynced } from '#app/require-synced.ts'
import type { SessionState } from '#session/session.ts'
import { newDraft } from '#store/draft.ts'
import type { Sync } from '#sync/engine.ts'
import { createLazySync } from '#sync/lazy-sync.ts'
import { localId } from '#sync/local-id.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

const appId = toApplicationId('app-1')
const known = newDraft({ values: emptyForm(), tab: 'GeneralData' })
const typed = { values: known.values, tab: known.tab, lastKnown: known }

/** A lazy sync whose engine cannot be loaded until the test allows it. */
function openLazySync() {
  const network = { letsThrough: false }
  let loads = 0
  let state: SessionState = { kind: 'signed-out' }
  const listeners = new Set<() => void>()
  const noDraft = { kind: 'none' } as const
  const engine: Sync = {
    subscribe: () => () => true,
    status: () => noDraft,
    list: () => [{ applicationId: appId, status: noDraft }],
    listFault: () => undefined,
    readAgain: () => undefined,
    read: async () => noDraft,
    save: async () => ({ kind: 'saved', draft: undefined }),
    refresh: () => undefined,
    submit: async () => noDraft,
    resolveConflicts: async () => undefined,
    startLocal: async () => appId,
    restart: async () => undefined,
    restore: async () => ({ kind: 'saved', draft: undefined }),
    remove: async () => true,
    flush: async () => noDraft,
    discard: async () => undefined,
    saveConfirmed: async () => undefined,
    removeLocal: async id => ({ id, isRemoved: true }),
    resolveId: async () => toApplicationId('app-2'),
    serverIdOf: () => 'app-2',
  }
  const sync = createLazySync({
    load: async () => {
      loads += 1
      if (!network.letsThrough) throw new Error('no such file')
      return engine
    },
    session: {
      state: () => state,
      subscribe: listener => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
  })
  function signIn() {
    state = { kind: 'signed-in', claims }
    for (const listener of listeners) listener()
  }
  return { sync, network, signIn, loads: () => loads }
}

const claims = { applicantId: ApplicantId.parse('applicant-1'), msisdn: '', email: '', exp: 0, iat: 0 }

describe('the lazy sync', () => {
  it('loads the engine at the sign-in, emits once, and then returns what the engine returns', async () => {
    const { sync, network, signIn, loads } = openLazySync()
    network.letsThrough = true
    let emitCount = 0
    sync.subscribe(() => (emitCount += 1))
    expect(sync.list()).toEqual([])
    expect(sync.serverIdOf(localId('1'))).toBe(localId('1'))
    expect(loads()).toBe(0)
    signIn()
    expect(loads()).toBe(1)
    expect(await sync.read(appId)).toEqual({ kind: 'none' })
    expect(sync.list()).toHaveLength(1)
    expect(sync.serverIdOf(localId('1'))).toBe('app-2')
    expect(emitCount).toBe(1)
  })

  it('reports that nothing was saved while the engine cannot be loaded, and loads it at the next call', async () => {
    const { sync, network, signIn } = openLazySync()
    signIn()
    expect(await sync.save(appId, typed)).toMatchObject({ kind: 'not-saved' })
    expect(await sync.submit(appId, typed)).toEqual({ kind: 'not-saved' })
    expect(await sync.read(appId)).toEqual({ kind: 'not-saved' })
    expect(await sync.startLocal('key')).toBeUndefined()
    network.letsThrough = true
    expect(await sync.save(appId, typed)).toMatchObject({ kind: 'saved' })
  })

  it('resolves an id of the server without the engine, and rejects for a local id when the load fails', async () => {
    const { sync, loads } = openLazySync()
    expect(await sync.resolveId(appId)).toBe(appId)
    expect(loads()).toBe(0)
    await expect(sync.resolveId(localId('1'))).rejects.toThrow('no such file')
  })

  it('blocks confirming, paying and booking with a notice until the engine is loaded (OFF08, OFF09)', async () => {
    const { sync, network } = openLazySync()
    const raised: unknown[] = []
    const device = createFakeDevice(0)
    const notices = {
      ...createNotices(device),
      raise: (...notice: unknown[]) => raised.push(notice),
    }
    const connectivity = {
      isUnreachable: () => false,
      probeIfNeeded: async () => true,
      subscribe: () => () => true,
      reportResponse: () => undefined,
      state: () => 'online' as const,
      subscribeToState: () => () => true,
      nextTry: () => undefined,
      subscribeToNextTry: () => () => true,
    }
    const serverInfo = { readAny: async () => ({ version: '1', features: [] }) } as never // the rest is not read
    const navigation = { pathname: () => '/', watchLeaving: () => () => false } as never // the rest is not called
    const session = { watchEnd: () => () => false } as never // the rest is not called
    const pass = () =>
      requireSynced({ connectivity, device, navigation, notices, session, sync, serverInfo }, appId)
    expect(await pass()).toBe(false)
    expect(raised).toEqual([['warning', { key: 'notice.offline' }]])
    network.letsThrough = true
    expect(await pass()).toBe(true)
  })
})
