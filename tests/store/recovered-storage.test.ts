import { beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '#store/database.ts'
import { createStoreOn } from '#store/store.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { createFailingStorage, type FailingStorage } from '#support/providers/failing-storage.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import { eventually } from '#support/eventually.ts'
import { ada } from './store-fixture.ts'
import { type FailingStoreFixture, openFailingStore, saveDraft } from './failing-store-fixture.ts'

let fixture: FailingStoreFixture

beforeEach(async () => {
  fixture = await openFailingStore()
})

describe('a storage that recovers', () => {
  it('opens the database again when the system has closed the connection, and retries the write', async () => {
    await saveDraft(fixture.store)
    const opens = fixture.storage.opens
    fixture.storage.trouble = 'connection is lost'
    expect(await saveDraft(fixture.store, 'NicData')).toMatchObject({ kind: 'saved' })
    expect(fixture.storage.opens).toBe(opens + 1)
    expect((await fixture.open().drafts.read('app-1'))?.tab).toBe('NicData')
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
    const page = createStoreOn(openDatabase('portal', old.factory), fixture.storeDevice, mergeScreenForm)
    await page.setKey(ada, 'device')
    expect(await saveDraft(page)).toMatchObject({ kind: 'saved' })
    expect(old.opens).toBeGreaterThan(opensBefore + 1)
    expect(await page.drafts.moves()).toEqual(new Map())
    expect(await page.drafts.move('app-1', 'app-2', draft => draft)).toBe('moved')
  })

  it('keeps the key that the device has made at random for an applicant, although it could not be read at the sign-in (D31, D67)', async () => {
    const withoutKey = { applicantId: 'ada', draftKey: undefined }
    await fixture.store.setKey(withoutKey, 'device')
    await saveDraft(fixture.store)
    fixture.storage.trouble = 'open fails'
    const page = fixture.open()
    await expect(page.setKey(withoutKey, 'device')).rejects.toThrow()
    expect(await saveDraft(page, 'NicData')).toMatchObject({ kind: 'not-saved' })
    fixture.storage.trouble = 'none'
    fixture.clockMs += 30_000
    await page.setKey(withoutKey, 'device')
    expect(await page.drafts.read('app-1')).toMatchObject({ values: firstPassport, tab: 'NicData' })
    const restarted = fixture.open()
    await restarted.setKey(withoutKey, 'device')
    expect(await restarted.drafts.read('app-1')).toMatchObject({ values: firstPassport })
  })

  it('saves the draft with its newest tab when it has room again', async () => {
    fixture.storage.trouble = 'disk is full'
    await saveDraft(fixture.store)
    fixture.storage.trouble = 'none'
    expect(await saveDraft(fixture.store, 'NicData')).toMatchObject({ kind: 'saved' })
    expect((await fixture.open().drafts.read('app-1'))?.tab).toBe('NicData')
  })

  it('is opened again after a pause, not at every keystroke', async () => {
    fixture.storage.trouble = 'open hangs'
    const fresh = await fixture.openWithKey()
    await saveDraft(fresh)
    const opens = fixture.storage.opens
    fixture.storage.trouble = 'none'
    expect((await saveDraft(fresh)).kind).toBe('not-saved')
    expect(fixture.storage.opens).toBe(opens)
    fixture.clockMs += 30_000
    expect(await saveDraft(fresh)).toMatchObject({ kind: 'saved' })
  })

  it.each([
    ['that is on time', 0],
    ['that is a fraction of a millisecond early, as timers of browsers may be', 0.4],
  ])('shows the drafts of a failed read as soon as it opens again, with a timer %s', async (_, earlyMs) => {
    await saveDraft(fixture.store)
    fixture.storage.trouble = 'open fails'
    const device = createFakeDevice()
    let lagMs = 0
    const monotonic = () => device.monotonic() - lagMs
    const database = openDatabase('portal', fixture.storage.factory)
    const fresh = createStoreOn(database, { ...device, monotonic }, mergeScreenForm)
    await fresh.setKey(ada, 'device')
    expect(await fresh.drafts.read('app-1')).toBeUndefined()
    let reported = 0
    fresh.drafts.watch(() => (reported += 1))
    fixture.storage.trouble = 'none'
    lagMs = earlyMs
    await device.advance(30_000)
    await eventually(() => expect(reported).toBeGreaterThan(0))
    expect((await fresh.drafts.read('app-1'))?.values).toEqual(firstPassport)
  })

  it('saves the next change, readable with the same secret, when the database was deleted while the form was open', async () => {
    await saveDraft(fixture.store)
    await new Promise<void>((resolve, reject) => {
      const request = fixture.storage.factory.deleteDatabase('portal')
      request.addEventListener('success', () => resolve())
      request.addEventListener('error', () => reject(request.error))
    })
    expect(await saveDraft(fixture.store, 'NicData')).toMatchObject({ kind: 'saved' })
    const later = await fixture.openWithKey()
    expect((await later.drafts.read('app-1'))?.tab).toBe('NicData')
  })
})

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
