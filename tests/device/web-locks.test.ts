// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createBrowserDevice } from '#device/browser-device.ts'

afterEach(() => vi.unstubAllGlobals())

describe('a browser that refuses locks, because its user refuses storage', () => {
  const refuse = () => Promise.reject(new DOMException('Access is denied', 'SecurityError'))

  it('still sends answers and refreshes the session, without waiting for other tabs (D33, S82)', async () => {
    vi.stubGlobal('navigator', { locks: { request: refuse, query: refuse } })
    const device = createBrowserDevice([])
    expect(await device.withLock('sync app-1', async () => 'sent')).toBe('sent')
    expect(await device.isLockHeld('sign-in')).toBe(false)
  })
})

it('work that fails under a lock is not repeated (D33)', async () => {
  const request = (_name: string, run: () => Promise<unknown>) => run()
  vi.stubGlobal('navigator', { locks: { request } })
  const work = vi.fn<() => Promise<never>>().mockRejectedValue(new Error('a fault'))
  await expect(createBrowserDevice([]).withLock('sync app-1', work)).rejects.toThrow('a fault')
  expect(work).toHaveBeenCalledTimes(1)
})
