import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newDraft } from '#store/draft.ts'
import { openDatabase } from '#store/database.ts'
import { createStoreOn, type Store } from '#store/store.ts'
import { mergeTyped } from '#sync/draft-reducer.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

/** Two pages of one browser: two stores on one database. */
let name: string
let first: Store
let second: Store

beforeEach(() => {
  name = crypto.randomUUID()
  first = openPage()
  second = openPage()
})

afterEach(() => openDatabase(name).delete())

function openPage(signedInId?: () => string): Store {
  return createStoreOn(openDatabase(name), createFakeDevice(), mergeTyped, signedInId)
}

function signIn(store: Store, applicantId: string) {
  return store.setKey({ applicantId, draftKey: `secret of ${applicantId}` }, 'device')
}

function signInWithoutKey(store: Store, applicantId: string, lifetime: 'device' | 'memory' = 'device') {
  return store.setKey({ applicantId, draftKey: undefined }, lifetime)
}

function write(store: Store) {
  return store.drafts.update('app-1', () => newDraft({ values: firstPassport, tab: 'NicData' }))
}

describe('when another applicant signs in in another tab', () => {
  it('D31 a page that is logged out writes nothing, and the next applicant reads none of its drafts', async () => {
    await signIn(first, 'ada')
    await first.clearKey()
    await signIn(second, 'ben')
    expect(await write(first)).toMatchObject({ kind: 'not-saved' })
    expect(await second.drafts.all()).toEqual([])
  })

  it('D31 a page that started offline keeps its own applicant', async () => {
    await signIn(first, 'ada')
    const started = openPage()
    expect(await started.drafts.all()).toEqual([])
    await signIn(second, 'ben')
    expect(await write(started)).toMatchObject({ kind: 'saved' })
    expect(await second.drafts.all()).toEqual([])
    expect(await first.drafts.read('app-1')).toMatchObject({ values: firstPassport })
  })

  it('D31 a page that could not load the store at the sign-in does not use the key of the previous applicant', async () => {
    await signIn(first, 'ada')
    await write(first)
    const page = openPage(() => 'ben')
    expect(await page.drafts.all()).toEqual([])
    expect(await write(page)).toMatchObject({ kind: 'not-saved' })
    await signIn(page, 'ben')
    expect(await write(page)).toMatchObject({ kind: 'saved' })
  })

  it('D31 such a page writes nothing for the previous applicant when the session ends', async () => {
    await signIn(first, 'ada')
    let signedInId: string | undefined = 'ben'
    const page = createStoreOn(openDatabase(name), createFakeDevice(), mergeTyped, () => signedInId)
    expect(await page.drafts.all()).toEqual([])
    signedInId = undefined
    expect(await write(page)).toMatchObject({ kind: 'not-saved' })
    expect(await first.drafts.all()).toEqual([])
  })

  it('D23 a log-out on one page keeps the key of the applicant on the other', async () => {
    await signIn(first, 'ada')
    await signIn(second, 'ben')
    await write(second)
    await first.clearKey()
    expect(await openPage().drafts.read('app-1')).toMatchObject({ values: firstPassport })
    await second.clearKey()
    expect(await openPage().drafts.read('app-1')).toBeUndefined()
  })
})

describe('a server without a draftKey (D67)', () => {
  it('D31 keeps the drafts of an own device readable after a log-out and a restart', async () => {
    await signInWithoutKey(first, 'ada')
    await write(first)
    await first.clearKey()
    await signInWithoutKey(first, 'ada')
    expect(await first.drafts.read('app-1')).toMatchObject({ values: firstPassport })
    await first.clearKey()
    const restarted = openPage()
    await signInWithoutKey(restarted, 'ada')
    expect(await restarted.drafts.read('app-1')).toMatchObject({ values: firstPassport })
  })

  it('D31 shows them to no other applicant', async () => {
    await signInWithoutKey(first, 'ada')
    await write(first)
    await first.clearKey()
    expect(await openPage().drafts.all()).toEqual([])
    await signInWithoutKey(first, 'ben')
    expect(await first.drafts.all()).toEqual([])
    await first.clearKey()
    await signInWithoutKey(first, 'ada')
    expect(await first.drafts.all()).toHaveLength(1)
  })

  it('D31 keeps them readable after another applicant used the device as a shared one', async () => {
    await signInWithoutKey(first, 'ada')
    await write(first)
    await first.clearKey()
    await signInWithoutKey(first, 'ben', 'memory')
    await first.lockedDrafts.lockDraftsOfOtherApplicants()
    await first.clearKey()
    await first.lockedDrafts.deleteAllButLocked()
    await signInWithoutKey(first, 'ada')
    expect(await first.drafts.all()).toHaveLength(1)
  })

  it('D31 makes one key when two tabs sign in at once', async () => {
    await Promise.all([signInWithoutKey(first, 'ada'), signInWithoutKey(second, 'ada')])
    await write(first)
    expect(await second.drafts.all()).toHaveLength(1)
    expect((await second.drafts.all())[0]?.draft.values).toEqual(firstPassport)
  })

  it('D31 keeps no key on a shared device', async () => {
    await signInWithoutKey(first, 'ada', 'memory')
    await write(first)
    await first.clearKey()
    const database = openDatabase(name)
    expect(await database.keys.count()).toBe(0)
    database.close()
  })
})
