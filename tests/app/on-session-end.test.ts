import type { QueryClient } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { createQueryClient } from '#api/queries.ts'
import { createOnSessionEnd } from '#app/on-session-end.ts'
import { createResponseCache } from '#app/response-cache.ts'
import { createNotices } from '#app/notices.ts'
import { doNothing } from '#device/do-nothing.ts'
import { createDeviceUse } from '#store/device-use.ts'
import { StorageFault } from '#store/storage-fault.ts'
import type { Store } from '#store/store.ts'
import { createPendingWrites } from '#sync/pending-writes.ts'
import { createQueriesOnPhone } from '#support/fixtures/queries-on-phone.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

const brokenStore = () => Promise.reject(new Error('Failed to fetch dynamically imported module'))
/** The log-out request has ended. */
const answered = Promise.resolve()

describe('createOnSessionEnd', () => {
  it('removes the queries that the last screen ran', async () => {
    const { endSession, queryClient, device } = openDevice(client => {
      client.setQueryData(createQueriesOnPhone().queries.applications('ap-1').queryKey, [])
    })
    await endSession('refused', answered).catch(() => undefined)
    expect(queryClient.getQueryCache().getAll()).toEqual([])
    expect(device.openedAddresses).toEqual([])
  })

  it('wipes a shared device although the store cannot be loaded (D31)', async () => {
    const { endSession, device, deviceUse } = openDevice()
    deviceUse.choose(true)
    device.saveText('session', '1')
    await expect(endSession('asked', answered)).rejects.toThrow('dynamically imported')
    expect(device.readText('session')).toBeUndefined()
    expect(device.openedAddresses).toEqual(['/?lg=fr&shared=1&left=asked'])
  })
})

it.each([
  ['locked', 'locked'],
  ['lock-failed', 'locked'],
  ['erased', 'erased'],
] as const)(
  'keeps the database of a shared device after %s when the rows cannot be deleted one by one (D31)',
  async (ending, left) => {
    const wiped: unknown[] = []
    const { endSession, device, deviceUse } = openDevice()
    device.wipe = async ({ keepsDrafts }) => void wiped.push(keepsDrafts)
    deviceUse.choose(true)
    await endSession(ending, answered).catch(() => undefined)
    expect(wiped).toEqual([true])
    expect(device.openedAddresses).toEqual([`/?lg=fr&shared=1&left=${left}`])
  },
)

it('does not wipe an own phone when the next person ticks "shared device" during the log-out (D31)', async () => {
  const { endSession, device, deviceUse } = openDevice()
  device.saveText('session', '1')
  const ended = endSession('asked', answered).catch(() => undefined)
  deviceUse.choose(true)
  await ended
  expect(device.readText('session')).toBe('1')
  expect(device.openedAddresses).toEqual([])
})

it('does not wipe an own phone when the next person ticks "shared device" while the session was still being opened (D31)', async () => {
  const { endSession, device, deviceUse } = openDevice()
  device.saveText('session', '1')
  let openNow = doNothing
  const opened = new Promise<void>(resolve => (openNow = resolve))
  const ended = endSession('asked', answered, opened).catch(doNothing)
  deviceUse.choose(true)
  openNow()
  await ended
  expect(device.readText('session')).toBe('1')
  expect(device.openedAddresses).toEqual([])
})

it('does not wipe a shared device that another applicant uses now (D31)', async () => {
  const { endSession, device, deviceUse } = openDevice()
  deviceUse.choose(true)
  device.saveText('session', '1')
  await endSession('replaced', answered).catch(() => undefined)
  expect(device.readText('session')).toBe('1')
  // A new document: this one has the data of the applicant who left.
  expect(device.openedAddresses).toEqual(['/?lg=fr&shared=1&left=erased'])
})

it.each([
  ['asked', 'asked'],
  ['inactivity', 'inactivity'],
  ['locked', 'locked'],
  ['lock-failed', 'locked'],
  ['account-deleted', 'asked'],
  ['replaced', 'erased'],
] as const)(
  'tells the new document of a shared device why the session ended: %s (D31)',
  async (ending, reason) => {
    const { endSession, device, deviceUse } = openDevice()
    deviceUse.choose(true)
    await endSession(ending, answered).catch(() => undefined)
    expect(device.openedAddresses).toEqual([`/?lg=fr&shared=1&left=${reason}`])
  },
)

it('deletes the key of a deleted account after it tried to erase the rows, when the storage fails (D112)', async () => {
  const steps: unknown[] = []
  const { endSession } = openDevice(undefined, async () => {
    const store: Pick<Store, 'clearKey' | 'erase'> = {
      async erase() {
        steps.push('erase')
        throw new StorageFault('lost')
      },
      clearKey: async options => void steps.push(options),
    }
    // This ending calls nothing else.
    return store as Store
  })
  await endSession('account-deleted', answered)
  expect(steps).toEqual(['erase', { keepsUnsaved: false, endsNewer: true }])
})

it.each([
  { ending: 'refused', isShared: false, keepsUnsaved: true },
  { ending: 'refused', isShared: true, keepsUnsaved: false },
  { ending: 'asked', isShared: false, keepsUnsaved: true },
  { ending: 'asked', isShared: true, keepsUnsaved: false },
  { ending: 'inactivity', isShared: false, keepsUnsaved: true },
] as const)(
  'tells the store whether to keep unsaved answers: %o (D31)',
  async ({ ending, isShared, keepsUnsaved }) => {
    const cleared: unknown[] = []
    const { endSession, deviceUse } = openDevice(undefined, async () => {
      const store: Pick<Store, 'clearKey'> = { clearKey: async options => void cleared.push(options) }
      // These endings call nothing else.
      return store as Store
    })
    deviceUse.choose(isShared)
    await endSession(ending, answered)
    // A refusal does not end a newer session, which another tab may have begun.
    expect(cleared).toEqual([{ keepsUnsaved, endsNewer: ending !== 'refused' }])
  },
)

it('the response cache caches nothing and does not fail when the store cannot be loaded', async () => {
  const cache = createResponseCache(brokenStore)
  await cache.write('list', [])
  expect(await cache.read('list')).toBeUndefined()
})

function openDevice(onHome?: (client: QueryClient) => void, openStore: () => Promise<Store> = brokenStore) {
  const device = createFakeDevice()
  const deviceUse = createDeviceUse(device)
  const queryClient = createQueryClient()
  const endSession = createOnSessionEnd({
    device,
    deviceUse,
    language: { current: () => ({ language: 'fr' }) },
    notices: createNotices(device),
    openStore,
    queryClient: () => queryClient,
    pendingWrites: createPendingWrites(device),
    responseCache: createResponseCache(brokenStore),
    serverInfo: { expire: () => undefined },
    session: () => ({ hasNewer: () => false }),
    goHome: async () => onHome?.(queryClient),
  })
  return { device, deviceUse, queryClient, endSession }
}
