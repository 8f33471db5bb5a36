import { expect, it, vi } from 'vitest'

it('gives each port to one worker only, although no server listens on it yet when the next worker looks for one', async () => {
  const [one, other] = [await loadWorker(), await loadWorker()]
  expect(await other.freePort()).not.toBe(await one.freePort())
})

/** Loads a new copy of the helper. All copies begin with the same port: the worst case of two processes. */
function loadWorker(): Promise<typeof import('#support/servers/free-port.ts')> {
  vi.resetModules()
  return import('#support/servers/free-port.ts')
}
