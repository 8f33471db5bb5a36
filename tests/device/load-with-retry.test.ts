import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadWithRetry } from '#device/load-with-retry.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function brokenFor(times: number) {
  let tries = 0
  return async () => {
    tries += 1
    if (tries <= times) throw new TypeError('Failed to fetch dynamically imported module')
    return tries
  }
}

describe('OFF10 the file of a screen', () => {
  it('is asked for again while the line is broken', async () => {
    const fetched = loadWithRetry(brokenFor(3))
    await vi.runAllTimersAsync()
    expect(await fetched).toBe(4)
  })

  it('that cannot be had is a failure', async () => {
    const fetched = expect(loadWithRetry(brokenFor(9))).rejects.toThrow('dynamically imported')
    await vi.runAllTimersAsync()
    await fetched
  })
})
