import type { QueryClient } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { createQueryClient } from '#api/queries.ts'
import { createOnSessionEnd } from '#app/on-session-end.ts'
import { createLastSeenCache } from '#app/last-seen-cache.ts'
import { createNotices } from '#app/notices.ts'
import { createDeviceUse } from '#store/device-use.ts'
import { createPendingWrites } from '#sync/pending-writes.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

const brokenStore = () => Promise.reject(new Error('Failed to fetch dynamically imported module'))

describe('a session that ends', () => {
  it('takes along what the screen that was left asked for last', async () => {
    const { leave, queryClient, device } = openDevice(client => {
      client.setQueryData(['applications', 'ap-1'], [{ id: '7' }])
    })
    await leave('refused', Promise.resolve()).catch(() => undefined)
    expect(queryClient.getQueryCache().getAll()).toEqual([])
    expect(device.replacedPages).toEqual([])
  })

  it('clears a shared device although its store cannot be had (D31)', async () => {
    const { leave, device, deviceUse } = openDevice()
    deviceUse.choose(true)
    device.saveText('session', '1')
    await expect(leave('asked', Promise.resolve())).rejects.toThrow('dynamically imported')
    expect(device.readText('session')).toBeUndefined()
    expect(device.replacedPages).toEqual(['/?lg=fr&shared=1&left=asked'])
  })
})

it('asks the line as ever where the store cannot be had: nothing was seen', async () => {
  const memory = createLastSeenCache(brokenStore)
  await memory.write('list', [])
  expect(await memory.read('list')).toBeUndefined()
})

function openDevice(onHome?: (client: QueryClient) => void) {
  const device = createFakeDevice()
  const deviceUse = createDeviceUse(device)
  const queryClient = createQueryClient()
  const leave = createOnSessionEnd({
    device,
    deviceUse,
    language: { current: () => ({ language: 'fr' }) },
    notices: createNotices(device),
    openStore: brokenStore,
    loadedQueries: () => ({ queryClient }),
    pendingWrites: createPendingWrites(device),
    lastSeenCache: createLastSeenCache(brokenStore),
    goHome: async () => onHome?.(queryClient),
  })
  return { device, deviceUse, queryClient, leave }
}
