import type { QueryClient } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'
import { createQueryClient } from '#api/queries.ts'
import { createLeaving } from '#portal/leaving.ts'
import { createMemory } from '#portal/memory.ts'
import { createNotices } from '#portal/notices.ts'
import { createDeviceUse } from '#store/device-use.ts'
import { createUnfinished } from '#sync/unfinished.ts'
import { createWoundDevice } from '#support/wound-device.ts'

const brokenStore = () => Promise.reject(new Error('Failed to fetch dynamically imported module'))

describe('a session that ends', () => {
  it('takes along what the screen that was left asked for last', async () => {
    const { leave, queryClient, device } = openDevice(client => {
      client.setQueryData(['applications', 'ap-1'], [{ id: '7' }])
    })
    await leave('refused', Promise.resolve()).catch(() => undefined)
    expect(queryClient.getQueryCache().getAll()).toEqual([])
    expect(device.restarts).toEqual([])
  })

  it('clears a shared device although its store cannot be had (D31)', async () => {
    const { leave, device, deviceUse } = openDevice()
    deviceUse.choose(true)
    device.remember('session', '1')
    await expect(leave('asked', Promise.resolve())).rejects.toThrow('dynamically imported')
    expect(device.recall('session')).toBeUndefined()
    expect(device.restarts).toEqual(['/?lg=fr&shared=1&left=asked'])
  })
})

it('asks the line as ever where the store cannot be had: nothing was seen', async () => {
  const memory = createMemory(brokenStore)
  await memory.keep('list', [])
  expect(await memory.recall('list')).toBeUndefined()
})

function openDevice(onHome?: (client: QueryClient) => void) {
  const device = createWoundDevice()
  const deviceUse = createDeviceUse(device)
  const queryClient = createQueryClient()
  const leave = createLeaving({
    device,
    deviceUse,
    language: { current: () => ({ language: 'fr' }) },
    notices: createNotices(device),
    openStore: brokenStore,
    answersHere: () => ({ queryClient }),
    unfinished: createUnfinished(device),
    memory: createMemory(brokenStore),
    goHome: async () => onHome?.(queryClient),
  })
  return { device, deviceUse, queryClient, leave }
}
