import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadWithRetry } from '#device/load-with-retry.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function failFor(times: number) {
  let attempts = 0
  return async () => {
    attempts += 1
    if (attempts <= times) throw new TypeError('Failed to fetch dynamically imported module')
    return attempts
  }
}

describe('loadWithRetry', () => {
  it('loads the file of a screen again while the connection is broken (OFF10)', async () => {
    const loading = loadWithRetry(failFor(3))
    await vi.runAllTimersAsync()
    expect(await loading).toBe(4)
  })

  it('rejects when every attempt fails (OFF10)', async () => {
    const loading = expect(loadWithRetry(failFor(9))).rejects.toThrow('dynamically imported')
    await vi.runAllTimersAsync()
    await loading
  })
})
