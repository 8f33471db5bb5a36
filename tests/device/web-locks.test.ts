// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createBrowserDevice } from '#device/browser-device.ts'

afterEach(() => vi.unstubAllGlobals())

describe('a browser that refuses locks, because its user refuses storage', () => {
  it('runs its work without waiting for other tabs (D33, S82)', async () => {
    vi.stubGlobal('navigator', { locks: { request: refuse, query: refuse } })
    const device = createBrowserDevice([])
    expect(await device.withLock('sync app-1', async () => 'sent')).toBe('sent')
    expect(await device.isLockHeld('sign-in')).toBe(false)
  })
})

it('work that fails under a lock is not repeated (D33)', async () => {
  vi.stubGlobal('navigator', { locks: { request: grant } })
  const work = vi.fn<() => Promise<never>>().mockRejectedValue(new Error('a fault'))
  await expect(createBrowserDevice([]).withLock('sync app-1', work)).rejects.toThrow('a fault')
  expect(work).toHaveBeenCalledTimes(1)
})

function refuse(): Promise<never> {
  return Promise.reject(new DOMException('Access is denied', 'SecurityError'))
}

function grant(_name: string, run: () => Promise<unknown>): Promise<unknown> {
  return run()
}
