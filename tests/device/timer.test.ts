// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { createBrowserDevice } from '#device/browser-device.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('a timer of more than 24 days does not run at once, as that of a browser would: a token of two months is not refreshed without end (SES04)', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const setTimer = vi.spyOn(globalThis, 'setTimeout')
  const cancel = createBrowserDevice([]).after(30 * 24 * 60 * 60 * 1_000, () => undefined)
  expect(setTimer.mock.lastCall?.[1]).toBe(2 ** 31 - 1)
  cancel()
})
