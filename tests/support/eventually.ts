import { vi } from 'vitest'

/**
 * Waits until `check` no longer throws, and returns its value. 20 s is enough on a busy machine, and less than the time
 * limit of most tests, so that the report says what was missing.
 */
export function eventually<Value>(check: () => Value | Promise<Value>): Promise<Value> {
  return vi.waitFor(check, { timeout: 20_000, interval: 10 })
}
