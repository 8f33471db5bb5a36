import { vi } from 'vitest'

/**
 * Starts a call, waits until `whenWaiting` or the answer comes, and lets `timeoutMs` - 1 milliseconds pass at once for the
 * timers of the server in this process. An answer for which a timer must run at `timeoutMs` or later never comes, and the test
 * ends at its own timeout.
 */
export async function passTimeDuring<Answer>(
  call: () => Promise<Answer>,
  { whenWaiting, timeoutMs }: { whenWaiting: Promise<unknown>; timeoutMs: number },
): Promise<Answer> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldClearNativeTimers: true })
  try {
    const answer = call()
    await Promise.race([whenWaiting, answer])
    await vi.advanceTimersByTimeAsync(timeoutMs - 1)
    vi.useRealTimers()
    return await answer
  } finally {
    vi.useRealTimers()
  }
}
