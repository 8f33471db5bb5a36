import { IDBFactory } from 'fake-indexeddb'
import { afterEach, expect, it, vi } from 'vitest'
import { durableTextsDatabase } from '#device/durable-texts.ts'
import { wipeStorage } from '#device/wipe.ts'

afterEach(() => vi.unstubAllGlobals())

function addDatabase(factory: IDBFactory, name: string): Promise<void> {
  return new Promise(resolve => {
    const request = factory.open(name)
    request.addEventListener('success', () => {
      request.result.close()
      resolve()
    })
  })
}

it('the wipe of a shared device deletes the databases of the portal also when the browser cannot list its databases (D31)', async () => {
  const factory = new IDBFactory()
  for (const name of ['portal', durableTextsDatabase]) await addDatabase(factory, name)
  vi.stubGlobal('indexedDB', {
    databases: () => Promise.reject(new DOMException('The storage refuses this.', 'UnknownError')),
    deleteDatabase: (name: string) => factory.deleteDatabase(name),
  })
  await wipeStorage({ keysToKeep: [], keepsDrafts: false })
  expect(await factory.databases()).toEqual([])
})
