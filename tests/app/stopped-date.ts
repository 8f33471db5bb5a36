import { afterEach, beforeEach, vi } from 'vitest'

/**
 * Stops the date of the page during each test of the file: an answer that was just read is not read again, also on a busy
 * machine, until the test advances the date. `close` runs when the date is real again.
 */
export function stopDateInEachTest(close: () => Promise<void>): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] })
  })

  afterEach(() => {
    vi.useRealTimers()
    return close()
  })
}
