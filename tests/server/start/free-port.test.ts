import { expect, it, vi } from 'vitest'

it('gives a port once, although no server listens on it yet when the next worker looks for one', async () => {
  const [one, other] = [await loadWorker(), await loadWorker()]
  expect(await other.freePort()).not.toBe(await one.freePort())
})

/** A worker's own copy, which begins with the same port as the other's: the worst case of two processes. */
function loadWorker(): Promise<typeof import('#support/servers/free-port.ts')> {
  vi.resetModules()
  return import('#support/servers/free-port.ts')
}
