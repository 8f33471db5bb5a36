import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '#store/database.ts'
import { newDraft } from '#store/draft.ts'
import { createStoreOn, type Store } from '#store/store.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { firstPassport, minorWithRepresentative } from '#support/data/applicants.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

const device = createFakeDevice()
let database: Database
let store: Store

beforeEach(async () => {
  database = openDatabase(crypto.randomUUID())
  store = createStoreOn(database, device, mergeScreenForm)
  await signIn('ada')
})
afterEach(() => database.delete())

const signIn = (applicantId: string) =>
  store.setKey({ applicantId, draftKey: `secret of ${applicantId}` }, 'device')
function save(id: string, values = firstPassport) {
  device.sleep(1_000)
  return store.drafts.update(id, () => newDraft({ values, tab: 'PersonData' }), { kind: 'restored' })
}

describe('the deletions that the applicant has asked for', () => {
  it('are known until they are removed, and to their applicant alone (LST15)', async () => {
    await save('app-1')
    await store.deletionRequests.add('app-1')
    await store.deletionRequests.add('app-2')
    expect(await store.deletionRequests.unchangedIds()).toEqual(['app-1', 'app-2'])
    await signIn('bob')
    expect(await store.deletionRequests.unchangedIds()).toEqual([])
    await signIn('ada')
    await store.deletionRequests.remove('app-1')
    expect(await store.deletionRequests.unchangedIds()).toEqual(['app-2'])
  })

  it('do not count when the applicant has changed the answers since (LST15, D63)', async () => {
    await save('app-1')
    await store.deletionRequests.add('app-1')
    await store.deletionRequests.add('app-2')
    await store.drafts.update('app-1', draft => draft && { ...draft, attempts: 1 })
    expect(await store.deletionRequests.unchangedIds()).toEqual(['app-1', 'app-2'])
    await save('app-1', minorWithRepresentative)
    await save('app-2')
    expect(await store.deletionRequests.unchangedIds()).toEqual([])
  })

  it('follow a draft to the id of the server (LST15, D33)', async () => {
    await save('local-1')
    await store.deletionRequests.add('local-1')
    await store.drafts.move('local-1', 'app-1', draft => draft)
    expect(await store.deletionRequests.unchangedIds()).toEqual(['app-1'])
    await store.deletionRequests.remove('app-1')
    expect(await store.deletionRequests.unchangedIds()).toEqual([])
  })
})
