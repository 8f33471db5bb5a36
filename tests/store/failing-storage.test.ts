import { beforeEach, describe, expect, it, vi } from 'vitest'
import { openDatabase } from '#store/database.ts'
import { createStoreOn } from '#store/store.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { firstPassport } from '#support/data/applicants.ts'
import type { StorageTrouble } from '#support/providers/failing-storage.ts'
import { ada } from './store-fixture.ts'
import { type FailingStoreFixture, openFailingStore, saveDraft } from './failing-store-fixture.ts'

let fixture: FailingStoreFixture

beforeEach(async () => {
  fixture = await openFailingStore()
})

describe('a storage that works', () => {
  it('saves, and reports it', async () => {
    expect(await saveDraft(fixture.store)).toMatchObject({ kind: 'saved' })
    expect((await fixture.open().drafts.read('app-1'))?.values).toEqual(firstPassport)
  })
})

describe('a storage that fails keeps the draft in memory and reports the reason (D30)', () => {
  it.each<[StorageTrouble, string]>([
    ['disk is full', 'full'],
    ['connection stays lost', 'lost'],
  ])('%s: %s', async (trouble, reason) => {
    fixture.storage.trouble = trouble
    expect(await saveDraft(fixture.store)).toMatchObject({ kind: 'not-saved', reason })
    expect((await fixture.store.drafts.read('app-1'))?.values).toEqual(firstPassport)
    expect((await fixture.store.drafts.all()).map(({ applicationId }) => applicationId)).toEqual(['app-1'])
  })

  it.each<[StorageTrouble, string]>([
    ['open hangs', 'hangs'],
    ['open is forbidden', 'refused'],
    ['open is refused', 'refused'],
  ])('%s: %s', async (trouble, reason) => {
    fixture.storage.trouble = trouble
    const fresh = await fixture.openWithKey()
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
    await saveDraft(fixture.store)
    fixture.storage.trouble = trouble
    const fresh = await fixture.openWithKey()
    expect((await fresh.drafts.find('app-1')).fault).toBe(reason)
    expect((await fresh.drafts.findAll()).fault).toBe(reason)
  })

  it('reports that another tab blocks an upgrade', async () => {
    // A tab with an older release does not close the database.
    await new Promise(resolve => {
      fixture.storage.factory.open('portal').addEventListener('success', resolve)
    })
    const newer = openDatabase('portal', fixture.storage.factory)
    newer.version(20).stores({ later: 'id' })
    // The storage works here: the timeouts of `storeDevice` would not fire, those of `hastyDevice` do.
    const blocked = createStoreOn(newer, fixture.hastyDevice, mergeScreenForm)
    await blocked.setKey(ada, 'device')
    expect(await saveDraft(blocked)).toMatchObject({ kind: 'not-saved', reason: 'blocked' })
  })

  it('saves nothing without cryptography, and keeps the draft in memory for the sync', async () => {
    vi.stubGlobal('crypto', {})
    try {
      const plain = await fixture.openWithKey()
      const result = await saveDraft(plain)
      expect(result).toMatchObject({ kind: 'not-saved', reason: 'refused', draft: { values: firstPassport } })
      expect((await plain.drafts.read('app-1'))?.values).toEqual(firstPassport)
      await plain.clearKey()
      expect(await plain.drafts.all()).toEqual([])
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it('does not return the draft to another applicant, and forgets it when that applicant signs in', async () => {
    fixture.storage.trouble = 'disk is full'
    await saveDraft(fixture.store)
    await fixture.store.setKey({ applicantId: 'bela', draftKey: 'secret of bela' }, 'device')
    expect(await fixture.store.drafts.read('app-1')).toBeUndefined()
    expect(await fixture.store.drafts.all()).toEqual([])
    await fixture.store.clearKey()
    await fixture.store.setKey(ada, 'device')
    expect(await fixture.store.drafts.read('app-1')).toBeUndefined()
  })
})

describe('unsaved answers, after the server has refused the session', () => {
  beforeEach(async () => {
    fixture.storage.trouble = 'disk is full'
    await saveDraft(fixture.store)
    await fixture.store.clearKey({ keepsUnsaved: true })
  })

  it('come back when the same applicant signs in again, not before', async () => {
    expect(await fixture.store.drafts.all()).toEqual([])
    await fixture.store.setKey(ada, 'device')
    expect((await fixture.store.drafts.read('app-1'))?.values).toEqual(firstPassport)
  })

  it('are forgotten when another applicant signs in', async () => {
    await fixture.store.setKey({ applicantId: 'bela', draftKey: 'secret of bela' }, 'device')
    await fixture.store.setKey(ada, 'device')
    expect(await fixture.store.drafts.all()).toEqual([])
  })
})

describe('a listener to the drafts', () => {
  it('is called for a draft that is saved after the storage has failed', async () => {
    fixture.storage.trouble = 'connection stays lost'
    let heard = 0
    const stop = fixture.store.drafts.watch(() => (heard += 1))
    await saveDraft(fixture.store)
    fixture.storage.trouble = 'none'
    await saveDraft(fixture.store, 'NicData')
    const before = heard
    await saveDraft(fixture.store, 'ParentData')
    expect(heard).toBeGreaterThan(before)
    stop()
  })
})
