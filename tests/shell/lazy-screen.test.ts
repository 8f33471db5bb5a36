// @vitest-environment happy-dom
import type { FunctionComponent } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { unloadWarning } from '#device/unload-warning.ts'
import { lazyScreen } from '#shell/lazy-screen.ts'

const lostFile = new TypeError('Failed to fetch dynamically imported module: /assets/later-1.js')
let reload: { mock: { calls: unknown[] } }

beforeEach(() => {
  vi.useFakeTimers()
  reload = vi.spyOn(location, 'reload').mockImplementation(() => undefined)
  // The sync of a test file before this one in the same thread may have set the shared observable, and may still change it.
  vi.spyOn(unloadWarning, 'state').mockReturnValue(false)
})

afterEach(() => {
  sessionStorage.clear()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

async function loadLostFile(): Promise<Record<'LostScreen', FunctionComponent>> {
  throw lostFile
}

/**
 * What a screen whose file is lost throws when React renders it. In an object, because a caller would wait for ever for a
 * promise that never resolves.
 */
async function renderLostScreen(): Promise<{ thrown: unknown }> {
  const Screen = lazyScreen(loadLostFile, 'LostScreen')
  const loaded = Screen.preload?.()
  await vi.advanceTimersByTimeAsync(10_000)
  await loaded
  try {
    Reflect.apply(Screen, undefined, [{}])
  } catch (thrown) {
    return { thrown }
  }
  return { thrown: undefined }
}

it('reloads the page once when the file of a screen is lost (D36)', async () => {
  expect((await renderLostScreen()).thrown).toBeInstanceOf(Promise)
  // As after the reload.
  expect((await renderLostScreen()).thrown).toBe(lostFile)
  expect(reload.mock.calls).toHaveLength(1)
})

it('shows the failure when a reload would lose answers (D31)', async () => {
  vi.spyOn(unloadWarning, 'state').mockReturnValue(true)
  const { thrown } = await renderLostScreen()
  expect(thrown).toMatchObject({ message: 'A reload would lose answers', cause: lostFile })
  expect(reload.mock.calls).toEqual([])
})
