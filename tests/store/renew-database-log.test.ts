import { IDBFactory as MemoryFactory } from 'fake-indexeddb'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { renewDatabaseLog } from '#store/renew-database-log.ts'

const chromium = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/138.0.0.0 Mobile Safari/537.36'
const firefox = 'Mozilla/5.0 (Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0'
const mebibyte = 1024 * 1024

// Test files share their process, and others leave databases.
beforeEach(() => void vi.stubGlobal('indexedDB', new MemoryFactory()))

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

// A write that was cut off leaves half a record in the log, and Chromium may then delete all databases of the portal.
it.each([
  ['writes at least 4 MiB in Chromium', chromium, 1_000, 4],
  ['writes nothing in a browser without LevelDB', firefox, 1_000, 0],
  ['writes nothing on a device without room', chromium, 20, 0],
])('%s, and leaves no database (D64)', async (_, userAgent, freeMebibytes, minMebibytes) => {
  vi.stubGlobal('navigator', {
    userAgent,
    storage: { estimate: async () => ({ quota: freeMebibytes * mebibyte, usage: 0 }) },
  })
  const put = vi.spyOn(IDBObjectStore.prototype, 'put')
  await renewDatabaseLog()
  const bytes = put.mock.calls.reduce(
    (sum, [value]) => sum + (value instanceof Uint8Array ? value.length : 0),
    0,
  )
  expect(bytes).toBeGreaterThanOrEqual(minMebibytes * mebibyte)
  expect(bytes > 0).toBe(minMebibytes > 0)
  expect(await indexedDB.databases()).toEqual([])
})

it('does not fail in a browser without navigator.storage (D64)', async () => {
  vi.stubGlobal('navigator', { userAgent: chromium })
  await expect(renewDatabaseLog()).resolves.toBeUndefined()
})
