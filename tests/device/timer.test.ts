// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { createBrowserDevice } from '#device/browser-device.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('a timer of 30 days does not run at once, so a token of two months is not refreshed without end (SES04)', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  // A browser runs a timer of 2 ** 31 ms or more, about 24.9 days, at once.
  const setTimer = vi.spyOn(globalThis, 'setTimeout')
  const cancel = createBrowserDevice([]).after(30 * 24 * 60 * 60 * 1_000, () => undefined)
  expect(setTimer.mock.lastCall?.[1]).toBe(2 ** 31 - 1)
  cancel()
})
