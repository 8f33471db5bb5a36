import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { FormValues } from '#contract/application.ts'
import { openDatabase } from '#store/database.ts'
import { newDraft } from '#store/draft.ts'
import { createStoreOn, type Store } from '#store/store.ts'
import { mergeScreenForm } from '#sync/draft-reducer.ts'
import { firstPassport } from '#support/data/applicants.ts'
import {
  createFailingStorage,
  type FailingStorage,
  type StorageTrouble,
} from '#support/providers/failing-storage.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import { eventually } from '#support/eventually.ts'
import { ada, countAttempt } from './store-fixture.ts'

let storage: FailingStorage
let store: Store
let clock: number
let today: number

beforeEach(async () => {
  storage = createFailingStorage()
  clock = 0
  today = 1
  store = open()
  await store.setKey(ada, 'device')
})

describe('a storage that works', () => {
  it('saves, and reports it', async () => {
    expect(await saveDraft(store)).toMatchObject({ kind: 'saved' })
    expect((await open().drafts.read('app-1'))?.values).toEqual(firstPassport)
  })
})

describe('a storage that fails keeps the draft in memory and reports the reason (D30)', () => {
  it.each<[StorageTrouble, string]>([
    ['disk is full', 'full'],
    ['connection stays lost', 'lost'],
  ])('%s: %s', async (trouble, reason) => {
    storage.trouble = trouble
    expect(await saveDraft(store)).toMatchObject({ kind: 'not-saved', reason })
    expect((await store.drafts.read('app-1'))?.values).toEqual(firstPassport)
    expect((await store.drafts.all()).map(({ applicationId }) => applicationId)).toEqual(['app-1'])
  })

  it.each<[StorageTrouble, string]>([
    ['open hangs', 'hangs'],
    ['open is forbidden', 'refused'],
    ['open is refused', 'refused'],
  ])('%s: %s', async (trouble, reason) => {
    storage.trouble = trouble
    const fresh = open()
    await fresh.setKey(ada, 'device')
    expect(await saveDraft(fresh)).toMatchObject({ kind: 'not-saved', reason })
    expect((await fresh.drafts.read('app-1'))?.tab).toBe('PersonData')
  })

  it.each<[StorageTrouble, string | undefined]>([
    ['none', undefined],
    // Such a browser has never let this page read its storage, so it has no drafts.
    ['open is refused', undefined],
    ['open fails', 'lost'],
    ['connection stays lost', 'lost'],
    // The drafts can still be read.
    ['disk is full', undefined],
  ])('%s: a read of a saved draft reports the fault %s (D74)', async (trouble, reason) => {
    await saveDraft(store)
    storage.trouble = trouble
    const fresh = open()
    await fresh.setKey(ada, 'device')
    expect((await fresh.drafts.find('app-1')).fault).toBe(reason)
    expect((await fresh.drafts.findAll()).fault).toBe(reason)
  })

  it('reports that another tab blocks an upgrade', async () => {
    // A tab with an older release does not close the database.
    await new Promise(resolve => {
      storage.factory.open('portal').addEventListener('success', resolve)
    })
    const newer = openDatabase('portal', storage.factory)
    newer.version(20).stores({ later: 'id' })
    const blocked = createStoreOn(newer, hastyDevice, mergeScreenForm)
    await blocked.setKey(ada, 'device')
    expect(await saveDraft(blocked)).toMatchObject({ kind: 'not-saved', reason: 'blocked' })
  })

  it('saves nothing without cryptography, and keeps the draft in memory for the sync', async () => {
    vi.stubGlobal('crypto', {})
    try {
      const plain = open()
      await plain.setKey(ada, 'device')
      const result = await saveDraft(plain)
      expect(result).toMatchObject({ kind: 'not-saved', reason: 'refused', draft: { values: firstPassport } })
      expect((await plain.drafts.read('app-1'))?.values).toEqual(firstPassport)
      await plain.clearKey()
      expect(await plain.drafts.all()).toEqual([])
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it('does not return the draft to another applicant, nor to anybody after the log-out', async () => {
    storage.trouble = 'disk is full'
    await saveDraft(store)
    await store.setKey({ applicantId: 'bela', draftKey: 'secret of bela' }, 'device')
    expect(await store.drafts.read('app-1')).toBeUndefined()
    expect(await store.drafts.all()).toEqual([])
    await store.clearKey()
    await store.setKey(ada, 'device')
    expect(await store.drafts.read('app-1')).toBeUndefined()
  })
})

describe('unsaved answers, after the server has refused the session', () => {
  beforeEach(async () => {
    storage.trouble = 'disk is full'
    await saveDraft(store)
    await store.clearKey({ keepsUnsaved: true })
  })

  it('come back when the same applicant signs in again, not before', async () => {
    expect(await store.drafts.all()).toEqual([])
    await store.setKey(ada, 'device')
    expect((await store.drafts.read('app-1'))?.values).toEqual(firstPassport)
  })

  it('are forgotten when another applicant signs in', async () => {
    await store.setKey({ applicantId: 'bela', draftKey: 'secret of bela' }, 'device')
    await store.setKey(ada, 'device')
    expect(await store.drafts.all()).toEqual([])
  })
})

describe('a storage that recovers', () => {
  it('opens the database again when the system has closed the connection, and retries the write', async () => {
    await saveDraft(store)
    const opens = storage.opens
    storage.trouble = 'connection is lost'
    expect(await saveDraft(store, 'NicData')).toMatchObject({ kind: 'saved' })
    expect(storage.opens).toBe(opens + 1)
    expect((await open().drafts.read('app-1'))?.tab).toBe('NicData')
  })

  it('is opened again when the connection is lost at the end of an upgrade (D36)', async () => {
    const old = createFailingStorage()
    await createFirstRelease(old)
    const opensBefore = old.opens
    // Dexie learns the new tables in a first transaction and hides its failure: then the store must open the database a
    // second time before any write.
    old.connections.push = () => {
      if (old.opens === opensBefore + 1) old.trouble = 'connection is lost'
      queueMicrotask(() => (old.trouble = 'none'))
      return old.connections.length
    }
    const page = createStoreOn(openDatabase('portal', old.factory), storeDevice, mergeScreenForm)
    await page.setKey(ada, 'device')
    expect(await saveDraft(page)).toMatchObject({ kind: 'saved' })
    expect(await page.drafts.moves()).toEqual(new Map())
    expect(await page.drafts.move('app-1', 'app-2', draft => draft)).toBe('moved')
  })

  it('keeps the key that the device has made at random for an applicant, although it could not be read at the sign-in (D31, D67)', async () => {
    const withoutKey = { applicantId: 'ada', draftKey: undefined }
    await store.setKey(withoutKey, 'device')
    await saveDraft(store)
    storage.trouble = 'open fails'
    const page = open()
    await expect(page.setKey(withoutKey, 'device')).rejects.toThrow()
    expect(await saveDraft(page, 'NicData')).toMatchObject({ kind: 'not-saved' })
    storage.trouble = 'none'
    clock += 30_000
    await page.setKey(withoutKey, 'device')
    expect(await page.drafts.read('app-1')).toMatchObject({ values: firstPassport, tab: 'NicData' })
    const restarted = open()
    await restarted.setKey(withoutKey, 'device')
    expect(await restarted.drafts.read('app-1')).toMatchObject({ values: firstPassport })
  })

  it('saves the newest answers when it has room again', async () => {
    storage.trouble = 'disk is full'
    await saveDraft(store)
    storage.trouble = 'none'
    expect(await saveDraft(store, 'NicData')).toMatchObject({ kind: 'saved' })
    expect((await open().drafts.read('app-1'))?.tab).toBe('NicData')
  })

  it('is opened again after a pause, not at every keystroke', async () => {
    storage.trouble = 'open hangs'
    const fresh = open()
    await fresh.setKey(ada, 'device')
    await saveDraft(fresh)
    const opens = storage.opens
    storage.trouble = 'none'
    expect((await saveDraft(fresh)).kind).toBe('not-saved')
    expect(storage.opens).toBe(opens)
    clock += 30_000
    expect(await saveDraft(fresh)).toMatchObject({ kind: 'saved' })
  })

  it.each([
    ['that is on time', 0],
    ['that is a fraction of a millisecond early, as timers of browsers may be', 0.4],
  ])('shows the drafts of a failed read as soon as it opens again, with a timer %s', async (_, earlyMs) => {
    await saveDraft(store)
    storage.trouble = 'open fails'
    const device = createFakeDevice()
    let lagMs = 0
    const monotonic = () => device.monotonic() - lagMs
    const database = openDatabase('portal', storage.factory)
    const fresh = createStoreOn(database, { ...device, monotonic }, mergeScreenForm)
    await fresh.setKey(ada, 'device')
    expect(await fresh.drafts.read('app-1')).toBeUndefined()
    let reported = 0
    fresh.drafts.watch(() => (reported += 1))
    storage.trouble = 'none'
    lagMs = earlyMs
    await device.advance(30_000)
    await eventually(() => expect(reported).toBeGreaterThan(0))
    expect((await fresh.drafts.read('app-1'))?.values).toEqual(firstPassport)
  })

  it('saves the next change, readable with the same secret, when the database was deleted while the form was open', async () => {
    await saveDraft(store)
    await new Promise<void>((resolve, reject) => {
      const request = storage.factory.deleteDatabase('portal')
      request.addEventListener('success', () => resolve())
      request.addEventListener('error', () => reject(request.error))
    })
    expect(await saveDraft(store, 'NicData')).toMatchObject({ kind: 'saved' })
    const later = open()
    await later.setKey(ada, 'device')
    expect((await later.drafts.read('app-1'))?.tab).toBe('NicData')
  })
})

describe('answers that one tab could not save while another tab saved (D30, D32)', () => {
  it.each<StorageTrouble>(['disk is full', 'connection stays lost'])(
    'are merged with the saved ones: %s',
    async trouble => {
      await saveDraft(store)
      const other = open()
      await other.setKey(ada, 'device')
      storage.trouble = trouble
      expect((await type(store, { surname: 'Mbock' })).kind).toBe('not-saved')
      storage.trouble = 'none'
      await type(other, { givenName: 'Ada' })
      expect(await read(store)).toMatchObject({ surname: 'Mbock', givenName: 'Ada' })
      expect((await store.drafts.all()).map(({ draft }) => draft.values.givenName)).toEqual(['Ada'])
      expect(await type(store, { travelDestination: 'Gabon' })).toMatchObject({ kind: 'saved' })
      expect(await read(other)).toMatchObject({
        surname: 'Mbock',
        givenName: 'Ada',
        travelDestination: 'Gabon',
      })
    },
  )

  it('are replaced by the later answer when both tabs changed the same field', async () => {
    await saveDraft(store)
    const other = open()
    await other.setKey(ada, 'device')
    storage.trouble = 'disk is full'
    await type(store, { surname: 'Mbock' })
    storage.trouble = 'none'
    today = 2
    await type(other, { surname: 'Ngo' })
    expect((await read(store))?.surname).toBe('Ngo')
    storage.trouble = 'disk is full'
    today = 3
    await type(store, { surname: 'Essomba' })
    expect((await read(store))?.surname).toBe('Essomba')
  })

  describe('when the server has another answer, with any time of the clock', () => {
    let other: Store

    beforeEach(async () => {
      today = 10
      await store.drafts.update('app-1', () =>
        newDraft({ values: firstPassport, tab: 'PersonData', base: serverForm(1, firstPassport.surname) }),
      )
      other = open()
      await other.setKey(ada, 'device')
      await read(other)
    })

    it('do not replace the typed answer of the other tab when they came from the server, not from the applicant', async () => {
      storage.trouble = 'disk is full'
      await mergeFromServer(store)
      storage.trouble = 'none'
      today = 1
      await type(other, { surname: 'Ngo' })
      expect((await read(store))?.surname).toBe('Ngo')
    })

    it('are not replaced by answers of the server that the other tab has saved', async () => {
      storage.trouble = 'disk is full'
      today = 1
      await type(store, { surname: 'Mbock' })
      storage.trouble = 'none'
      today = 10
      await mergeFromServer(other)
      expect((await read(store))?.surname).toBe('Mbock')
    })

    it('stay until the applicant has chosen between them and those of the server, also after the other tab has saved again (D32)', async () => {
      storage.trouble = 'disk is full'
      await type(store, { surname: 'Mbock' })
      storage.trouble = 'none'
      await mergeFromServer(other)
      storage.trouble = 'disk is full'
      await type(store, { travelDestination: 'Gabon' })
      expect((await store.drafts.read('app-1'))?.theirs?.values.surname).toBe('Server')
      storage.trouble = 'none'
      await type(other, { givenName: 'Ada' })
      const draft = await store.drafts.read('app-1')
      expect(draft?.values).toMatchObject({ surname: 'Mbock', givenName: 'Ada', travelDestination: 'Gabon' })
      expect(draft?.theirs?.values.surname).toBe('Server')
    })

    it('leave the answer that the applicant has typed in the other tab where they must choose (D32)', async () => {
      await type(store, { surname: 'Mbock' })
      await store.drafts.update('app-1', draft => draft && { ...draft, theirs: serverForm(2, 'Server') })
      storage.trouble = 'disk is full'
      today = 30
      await type(store, { travelDestination: 'Gabon' })
      storage.trouble = 'none'
      today = 20
      await type(other, { surname: 'Ngo' })
      const draft = await store.drafts.read('app-1')
      expect(draft?.values).toMatchObject({ surname: 'Ngo', travelDestination: 'Gabon' })
      expect(draft?.theirs?.values.surname).toBe('Server')
    })
  })

  it('become a revision when the merge takes the later answer of the other tab (D63)', async () => {
    await saveDraft(store)
    const other = open()
    await other.setKey(ada, 'device')
    storage.trouble = 'disk is full'
    await type(store, { surname: 'Mbock' })
    storage.trouble = 'none'
    today = 2
    await type(other, { surname: 'Ngo' })
    await type(store, { travelDestination: 'Gabon' })
    expect((await read(other))?.surname).toBe('Ngo')
    expect(await earlierSurnames(store)).toContain('Mbock')
  })

  it('become a revision when a form that was opened before them replaces them (D63)', async () => {
    await saveDraft(store)
    storage.trouble = 'disk is full'
    await type(store, { surname: 'Mbock' })
    storage.trouble = 'none'
    await type(store, { surname: 'Ngo' })
    expect(await earlierSurnames(store)).toContain('Mbock')
  })

  it.each<StorageTrouble>(['disk is full', 'connection stays lost'])(
    'become a revision as soon as the storage works, when a form that was opened before them has replaced them: %s',
    async trouble => {
      await saveDraft(store)
      storage.trouble = trouble
      await type(store, { surname: 'Mbock' })
      await type(store, { surname: 'Ngo' })
      await type(store, { surname: 'Essomba' })
      storage.trouble = 'none'
      await type(store, { travelDestination: 'Gabon' })
      expect(await read(open())).toMatchObject({ surname: 'Essomba', travelDestination: 'Gabon' })
      expect(await earlierSurnames(store)).toEqual(expect.arrayContaining(['Mbock', 'Ngo']))
      await type(store, { travelDestination: 'Tchad' })
      const dropped = (await earlierSurnames(store)).filter(surname => surname === 'Mbock')
      expect(dropped, 'only one revision').toEqual(['Mbock'])
    },
  )

  it('merge with the draft that another tab has moved to the id of the server (D33)', async () => {
    await saveDraft(store)
    const other = open()
    await other.setKey(ada, 'device')
    storage.trouble = 'disk is full'
    await type(store, { surname: 'Mbock' })
    storage.trouble = 'none'
    await other.drafts.move('app-1', 'app-2', draft => ({
      ...draft,
      values: { ...draft.values, givenName: 'Ada' },
    }))
    expect((await store.drafts.all()).map(({ applicationId }) => applicationId)).toEqual(['app-2'])
    expect((await type(store, { travelDestination: 'Gabon' })).kind).toBe('saved')
    expect((await open().drafts.read('app-2'))?.values).toMatchObject({
      surname: 'Mbock',
      givenName: 'Ada',
      travelDestination: 'Gabon',
    })
  })

  it('do not replace answers typed after another tab has removed the draft, in a row that was written as often (D63)', async () => {
    await saveDraft(store)
    const other = open()
    await other.setKey(ada, 'device')
    storage.trouble = 'disk is full'
    await type(store, { surname: 'Mbock' })
    storage.trouble = 'none'
    await other.drafts.update('app-1', () => undefined, { kind: 'discarded' })
    await type(other, { givenName: 'Ada' })
    expect(await read(store)).toMatchObject({ surname: 'Mbock', givenName: 'Ada' })
    expect((await type(store, { travelDestination: 'Gabon' })).kind).toBe('saved')
    expect(await read(other)).toMatchObject({
      surname: 'Mbock',
      givenName: 'Ada',
      travelDestination: 'Gabon',
    })
  })

  it('are deleted with the draft that the applicant deletes', async () => {
    await saveDraft(store)
    storage.trouble = 'disk is full'
    await type(store, { surname: 'Mbock' })
    await type(store, { surname: 'Ngo' })
    storage.trouble = 'none'
    await store.drafts.update('app-1', () => undefined, { kind: 'deleted' })
    expect(await earlierSurnames(store)).toEqual([])
  })
})

describe('two writes of one page at the same time, of which the device cannot save the typed one (D30)', () => {
  beforeEach(async () => {
    await saveDraft(store)
  })

  it('keep the typed answer when the write of the sync fails too', async () => {
    storage.trouble = 'disk is full'
    await Promise.all([type(store, { surname: 'Mbock' }), mergeGivenName(store)])
    expect(await read(store)).toMatchObject({ surname: 'Mbock', givenName: 'Ada' })
    storage.trouble = 'none'
    await countAttempt(store)
    expect(await read(open())).toMatchObject({ surname: 'Mbock', givenName: 'Ada' })
  })

  it('keep the typed answer when the write of the sync succeeds', async () => {
    const { page, makeRoom } = await openRefusingTyped()
    today = 2
    const [typed, merged] = await Promise.all([type(page, { surname: 'Mbock' }), mergeGivenName(page)])
    expect([typed.kind, merged.kind]).toEqual(['not-saved', 'saved'])
    expect(await read(page)).toMatchObject({ surname: 'Mbock', givenName: 'Ada' })
    makeRoom()
    await countAttempt(page)
    expect(await read(open())).toMatchObject({ surname: 'Mbock', givenName: 'Ada' })
  })

  it('keep the typed answer when the draft moves to the id of the server (D33)', async () => {
    // A move takes longer when it has a revision to encrypt.
    await mergeGivenName(store)
    const { page } = await openRefusingTyped()
    today = 2
    const [typed] = await Promise.all([
      type(page, { surname: 'Mbock' }),
      page.drafts.move('app-1', 'app-2', draft => draft),
    ])
    expect(typed.kind).toBe('not-saved')
    expect((await page.drafts.all()).map(({ applicationId }) => applicationId)).toEqual(['app-2'])
    expect((await page.drafts.read('app-2'))?.values).toMatchObject({ surname: 'Mbock' })
  })
})

describe('a listener to the drafts', () => {
  it('is called for a draft that is saved after the storage has failed', async () => {
    storage.trouble = 'connection stays lost'
    let heard = 0
    const stop = store.drafts.watch(() => (heard += 1))
    await saveDraft(store)
    storage.trouble = 'none'
    await saveDraft(store, 'NicData')
    const before = heard
    await saveDraft(store, 'ParentData')
    expect(heard).toBeGreaterThan(before)
    stop()
  })
})

const storeDevice = {
  ...createFakeDevice(),
  now: () => today,
  monotonic: () => clock,
  /** A timeout fires only while the storage fails, never because the machine is busy. */
  after: (milliseconds: number, run: () => void) =>
    storage.trouble === 'none' ? () => undefined : hastyDevice.after(milliseconds, run),
}

/** The timeouts of this device are 20 times shorter and count the CPU time of this process alone. */
const hastyDevice = {
  ...storeDevice,
  after(milliseconds: number, run: () => void) {
    const cpuBefore = process.cpuUsage()
    let next = setImmediate(wait)
    function wait() {
      const { user, system } = process.cpuUsage(cpuBefore)
      if ((user + system) / 1_000 > milliseconds / 20) run()
      else next = setImmediate(wait)
    }
    return () => clearImmediate(next)
  },
}

function open(): Store {
  return createStoreOn(openDatabase('portal', storage.factory), storeDevice, mergeScreenForm)
}

/** Another page of the same applicant, which has no room for typed answers until `makeRoom`. */
async function openRefusingTyped() {
  const database = openDatabase('portal', storage.factory)
  const page = createStoreOn(database, storeDevice, mergeScreenForm)
  await page.setKey(ada, 'device')
  let isFull = true
  database.drafts.hook('updating', changes => {
    // The sync keeps `savedAt`, so this refuses the typed writes and lets those of the sync pass.
    if (isFull && 'savedAt' in changes) throw new DOMException('full', 'QuotaExceededError')
  })
  return { page, makeRoom: () => void (isFull = false) }
}

function serverForm(version: number, surname: string) {
  return { version, additionalData: '', values: { ...firstPassport, surname }, at: 0 }
}

/** As the sync does when the server has a newer form. */
function mergeFromServer(page: Store) {
  return page.drafts.update('app-1', draft => {
    if (!draft) throw new Error('there is no draft')
    const base = serverForm(2, 'Server')
    return { ...draft, values: base.values, base }
  })
}

/** The database of the first release. */
function createFirstRelease({ factory }: FailingStorage): Promise<void> {
  return new Promise(resolve => {
    // Dexie multiplies version numbers by ten.
    const request = factory.open('portal', 10)
    request.addEventListener('upgradeneeded', () => {
      request.result
        .createObjectStore('drafts', { keyPath: ['applicantId', 'applicationId'] })
        .createIndex('applicantId', 'applicantId')
      request.result.createObjectStore('keys', { keyPath: 'id' })
    })
    request.addEventListener('success', () => {
      request.result.close()
      resolve()
    })
  })
}

/** Saves the answers and the open tab, as the form does. */
function saveDraft(into: Store, tab = 'PersonData') {
  return into.drafts.update('app-1', draft => newDraft({ ...draft, values: firstPassport, tab }))
}

function type(into: Store, changes: Partial<FormValues>) {
  const opened = newDraft({ values: firstPassport, tab: 'PersonData' })
  return into.drafts.update(
    'app-1',
    (draft = opened) => ({ ...draft, values: { ...draft.values, ...changes } }),
    { kind: 'typed', lastKnown: opened },
  )
}

/** As the sync does. It takes longer than `type`, because it also writes a revision. */
function mergeGivenName(page: Store) {
  return page.drafts.update(
    'app-1',
    draft => draft && { ...draft, values: { ...draft.values, givenName: 'Ada' } },
  )
}

async function earlierSurnames(of: Store): Promise<string[]> {
  return (await of.revisions('app-1')).map(({ values }) => values.surname)
}

async function read(from: Store): Promise<FormValues | undefined> {
  return (await from.drafts.read('app-1'))?.values
}
