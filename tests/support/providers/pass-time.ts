import { vi } from 'vitest'

/**
 * Starts a call, waits until `isWaiting` resolves, and lets `timeoutMs` pass at once for the timers of the server in this
 * process. An answer that the server would give later than that never comes, and the test ends at its timeout.
 */
export async function passTimeDuring<Answer>(
  call: () => Promise<Answer>,
  { isWaiting, timeoutMs }: { isWaiting: Promise<unknown>; timeoutMs: number },
): Promise<Answer> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldClearNativeTimers: true })
  try {
    const answer = call()
    await Promise.race([isWaiting, answer])
    await vi.advanceTimersByTimeAsync(timeoutMs - 1)
    vi.useRealTimers()
    return await answer
  } finally {
    vi.useRealTimers()
  }
}
