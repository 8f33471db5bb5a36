import { vi } from 'vitest'

/**
 * Waits until `check` no longer throws, and returns its value. 40 s is enough on a busy machine, where a test may load
 * a screen for the first time, and less than the time limit of a test, so that the report says what was missing.
 */
export function eventually<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(check, { timeout: 40_000, interval: 10 })
}
