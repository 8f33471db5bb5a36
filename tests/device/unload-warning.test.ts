// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest'
import { setOnlyInPage, unloadWarning } from '#device/unload-warning.ts'

afterEach(() => setOnlyInPage([]))

function isReloadPrevented(): boolean {
  const event = new Event('beforeunload', { cancelable: true })
  window.dispatchEvent(event)
  return event.defaultPrevented
}

it('asks before a reload while answers are neither saved nor sent, and knows of which application (D31)', () => {
  expect(isReloadPrevented()).toBe(false)
  setOnlyInPage(['7'])
  expect([unloadWarning.state(), unloadWarning.isFor('7'), unloadWarning.isFor('8')]).toEqual([
    true,
    true,
    false,
  ])
  expect(isReloadPrevented()).toBe(true)
  setOnlyInPage(['7', '8'])
  expect(unloadWarning.isFor('8')).toBe(true)
  setOnlyInPage([])
  expect(unloadWarning.state()).toBe(false)
  expect(isReloadPrevented()).toBe(false)
})
