import { afterEach, describe, expect, it } from 'vitest'
import { openDatabase } from '#store/database.ts'
import { newDraft } from '#store/draft.ts'
import { deriveKey, encryptJson } from '#store/encryption.ts'
import { createStoreOn, type Store } from '#store/store.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { firstPassport, minorWithRepresentative } from '#support/data/applicants.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

/** The tables of a released version: never edit them. */
type Released = { stores: Record<string, { keyPath: string | string[]; indexes: string[] }>; version: number }

const tables = {
  drafts: { keyPath: ['applicantId', 'applicationId'], indexes: ['applicantId'] },
  keys: { keyPath: 'id', indexes: [] },
  moves: { keyPath: ['applicantId', 'localId'], indexes: [] },
}
const first: Released = { version: 1, stores: { drafts: tables.drafts, keys: tables.keys } }
const second: Released = { version: 2, stores: tables }
const third: Released = {
  version: 3,
  stores: { ...tables, seen: { keyPath: ['applicantId', 'name'], indexes: ['applicantId'] } },
}

// `revision` in a row of `drafts` identifies its last write. Unrelated to `store.revisions`.
const name = 'portal of an older release'
const base = { version: 4, additionalData: 'kept', values: firstPassport, at: 5 }
let opened: ReturnType<typeof openDatabase> | undefined

afterEach(async () => {
  await opened?.delete()
  opened = undefined
})

describe('D36 a database of an older release', () => {
  it('keeps the answers of version 1, which can be edited', async () => {
    const key = await deriveKey('secret of ada', 'ada')
    await createReleasedDatabase(first, {
      keys: [{ id: 'current', applicantId: 'ada', key }],
      drafts: [
        {
          applicantId: 'ada',
          applicationId: 'app-1',
          sealed: await encryptJson(key, minorWithRepresentative, 'ada/app-1'),
          tab: 'ParentData',
          savedAt: 77,
        },
      ],
    })
    const store = openCurrentStore()
    expect(await store.drafts.read('app-1')).toMatchObject({
      values: minorWithRepresentative,
      tab: 'ParentData',
      savedAt: 77,
      attempts: 0,
    })
    expect((await store.drafts.all()).map(({ applicationId }) => applicationId)).toEqual(['app-1'])
    await expectWorking(store, 'app-1')
  })

  it('keeps the drafts, the requests in progress and the moves to server ids of version 2', async () => {
    const key = await deriveKey('secret of ada', 'ada')
    const draft = {
      values: { ...firstPassport, surname: 'Mbock' },
      base,
      theirs: { ...base, version: 5 },
      sending: { key: 'k', values: firstPassport, complete: true, baseVersion: 4, additionalData: 'kept' },
      submitted: true,
      attempts: 3,
      notBefore: 99,
    }
    await createReleasedDatabase(second, {
      keys: [{ id: 'current', applicantId: 'ada', key }],
      drafts: [
        {
          applicantId: 'ada',
          applicationId: 'app-1',
          sealed: await encryptJson(key, draft, 'ada/app-1'),
          tab: 'NicData',
          savedAt: 78,
          revision: 12,
        },
        {
          applicantId: 'bela',
          applicationId: 'app-2',
          sealed: await encryptJson(await deriveKey('other', 'bela'), draft, 'bela/app-2'),
          tab: 'NicData',
          savedAt: 79,
          revision: 1,
        },
      ],
      moves: [{ applicantId: 'ada', localId: 'local-1', applicationId: 'app-1' }],
    })
    const store = openCurrentStore()
    expect(await store.drafts.read('app-1')).toEqual({ ...draft, tab: 'NicData', savedAt: 78 })
    expect(await store.drafts.resolveId('local-1')).toBe('app-1')
    await expectWorking(store, 'app-1')
    // The other applicant, who signs in later, can still read the draft.
    await store.setKey({ applicantId: 'bela', draftKey: 'other' }, 'device')
    expect((await store.drafts.read('app-2'))?.values.surname).toBe('Mbock')
  })

  it('keeps the drafts of version 3, and saves the old answers as a revision when they are replaced (D63)', async () => {
    const key = await deriveKey('secret of ada', 'ada')
    const draft = { values: { ...firstPassport, surname: 'Mbock' }, base, attempts: 0, notBefore: 0 }
    await createReleasedDatabase(third, {
      keys: [{ id: 'current', applicantId: 'ada', key }],
      drafts: [
        {
          applicantId: 'ada',
          applicationId: 'app-1',
          sealed: await encryptJson(key, draft, 'ada/app-1'),
          tab: 'NicData',
          savedAt: 78,
          revision: 12,
        },
      ],
      seen: [{ applicantId: 'ada', name: 'old', sealed: await encryptJson(key, ['seen'], 'ada/seen/old') }],
    })
    const store = openCurrentStore()
    expect(await store.drafts.read('app-1')).toEqual({ ...draft, tab: 'NicData', savedAt: 78 })
    expect(await store.responses.read('old')).toEqual(['seen'])
    expect(await store.revisions('app-1')).toEqual([])
    await store.drafts.update('app-1', before => before && { ...before, values: firstPassport })
    expect((await store.revisions('app-1')).map(({ values }) => values.surname)).toEqual(['Mbock'])
    await expectWorking(store, 'app-1')
  })
})

/** Expects that the store changes a draft, moves a new one to its server id, and caches a server response. */
async function expectWorking(store: Store, id: string) {
  const changed = await store.drafts.update(id, draft => draft && { ...draft, tab: 'GeneralData' })
  expect(changed).toMatchObject({ kind: 'saved', draft: { tab: 'GeneralData' } })
  await store.drafts.update('local-2', () => newDraft({ values: firstPassport, tab: 'GeneralData' }))
  expect(await store.drafts.move('local-2', 'app-9', draft => draft)).toBe('moved')
  expect((await store.drafts.read('app-9'))?.values).toEqual(firstPassport)
  await store.responses.write('applications', [1])
  expect(await store.responses.read('applications')).toEqual([1])
}

/** The store of the current release, on the database of the older one. */
function openCurrentStore(): Store {
  opened = openDatabase(name)
  return createStoreOn(opened, createFakeDevice(), mergeScreenForm)
}

/** Creates the database of a released version. Uses IndexedDB directly, without the library of the current release. */
async function createReleasedDatabase(
  { stores, version }: Released,
  rows: Record<string, object[]>,
): Promise<void> {
  // Dexie multiplies version numbers by ten.
  const request = indexedDB.open(name, version * 10)
  request.addEventListener('upgradeneeded', () => {
    for (const [store, { keyPath, indexes }] of Object.entries(stores)) {
      const made = request.result.createObjectStore(store, { keyPath })
      for (const index of indexes) made.createIndex(index, index)
    }
  })
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error))
  })
  const transaction = database.transaction(Object.keys(rows), 'readwrite')
  for (const [store, all] of Object.entries(rows))
    for (const row of all) transaction.objectStore(store).put(row)
  await new Promise(resolve => transaction.addEventListener('complete', resolve))
  database.close()
}
