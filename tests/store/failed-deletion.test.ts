import { beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '#store/database.ts'
import { pendingEraseKey } from '#store/device-use.ts'
import { newDraft } from '#store/draft.ts'
import { createStoreOn, type Store } from '#store/store.ts'
import { mergeScreenForm } from '#sync/draft-reducer.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { createFailingStorage, type FailingStorage } from '#support/providers/failing-storage.ts'
import { createFakeDevice, type FakeDevice } from '#support/providers/fake-device.ts'

let storage: FailingStorage
let device: FakeDevice
let store: Store

/** Ben's session has ended in a crash of the browser: his draft is on the device without its key. Ada's session is open. */
beforeEach(async () => {
  storage = createFailingStorage()
  device = createFakeDevice()
  await signInAndWrite(openPage(), 'ben')
  store = openPage()
  await signInAndWrite(store, 'ada')
})

function openPage(): Store {
  // A timeout ends at once while the storage hangs, and never while it answers.
  const after = (_milliseconds: number, run: () => void) => {
    const timer = storage.trouble === 'work hangs' ? setTimeout(run) : undefined
    return () => clearTimeout(timer)
  }
  return createStoreOn(openDatabase('portal', storage.factory), { ...device, after }, mergeScreenForm)
}

function signIn(page: Store, applicantId: string, lifetime: 'memory' | 'device' = 'memory') {
  return page.setKey({ applicantId, draftKey: `secret of ${applicantId}` }, lifetime)
}

function write(page: Store, applicantId: string) {
  return page.drafts.update(`app-of-${applicantId}`, () =>
    newDraft({ values: firstPassport, tab: 'NicData' }),
  )
}

async function signInAndWrite(page: Store, applicantId: string) {
  await signIn(page, applicantId)
  await write(page, applicantId)
}

/** Resolves to whether the database stays. */
async function logOut(page: Store, options = { keepsOwn: false }): Promise<boolean> {
  await page.clearKey()
  return page.lockedDrafts.deleteAllButLocked(options)
}

async function ownersOfRows(): Promise<string[]> {
  const database = openDatabase('portal', storage.factory)
  const rows = await Promise.all(database.tables.map(table => table.toArray()))
  database.close()
  return rows.flat().map(row => row.applicantId)
}

async function idsAfterSignIn(applicantId: string): Promise<string[]> {
  const page = openPage()
  await signIn(page, applicantId)
  return (await page.drafts.all()).map(({ applicationId }) => applicationId)
}

describe('a log-out of a shared device whose storage fails at the deletion (D31)', () => {
  it('erases the applicant on a full disk, and keeps the drafts of another', async () => {
    storage.trouble = 'disk is full'
    expect(await logOut(store)).toBe(true)
    expect(await ownersOfRows()).toEqual(['ben'])
    storage.trouble = 'none'
    expect(device.readText(pendingEraseKey)).toBeUndefined()
    expect(await idsAfterSignIn('ben')).toEqual(['app-of-ben'])
  })

  it.each(['connection stays lost', 'work hangs'] as const)(
    'erases the applicant at the next start, and keeps the drafts of another: %s',
    async trouble => {
      storage.trouble = trouble
      expect(await logOut(store)).toBe(true)
      storage.trouble = 'none'
      await openPage().finishErase()
      expect(await ownersOfRows()).toEqual(['ben'])
      expect(device.readText(pendingEraseKey)).toBeUndefined()
      expect(await idsAfterSignIn('ben')).toEqual(['app-of-ben'])
    },
  )

  it('erases the applicant at the next sign-in, when the storage failed at the next start too', async () => {
    storage.trouble = 'connection stays lost'
    await logOut(store)
    await expect(openPage().finishErase()).rejects.toMatchObject({ name: 'StorageFault' })
    storage.trouble = 'none'
    expect(await idsAfterSignIn('ben')).toEqual(['app-of-ben'])
    expect(await ownersOfRows()).toEqual(['ben'])
  })

  it('never erases what the applicant writes after another sign-in', async () => {
    storage.trouble = 'connection stays lost'
    await logOut(store)
    const next = openPage()
    await signIn(next, 'ada')
    storage.trouble = 'none'
    device.sleep(30_000)
    await write(next, 'ada')
    await openPage().finishErase()
    expect(await idsAfterSignIn('ada')).toEqual(['app-of-ada'])
  })

  it.each([
    [
      'of a session that began before the device was shared',
      async (page: Store) => signIn(page, 'ada', 'device'),
    ],
    [
      'that a server without a secret has left on the device',
      async (page: Store) => {
        await openPage().setKey({ applicantId: 'ada', draftKey: undefined }, 'device')
        await page.setKey({ applicantId: 'ada', draftKey: undefined }, 'memory')
      },
    ],
  ])('leaves the database to the wipe when the device may have a key %s', async (_name, signInAgain) => {
    const page = openPage()
    await signInAgain(page)
    storage.trouble = 'connection stays lost'
    await expect(logOut(page)).rejects.toMatchObject({ name: 'StorageFault' })
    // The browser may refuse to delete the database: then the next start erases the rows.
    storage.trouble = 'none'
    await openPage().finishErase()
    expect(await ownersOfRows()).toEqual(['ben'])
  })

  it('erases no rows when the drafts of the applicant are locked, also in another tab', async () => {
    await store.lockedDrafts.lock(['app-of-ada'])
    const beside = openPage()
    storage.trouble = 'connection stays lost'
    for (const page of [store, beside])
      await expect(logOut(page, { keepsOwn: true })).rejects.toMatchObject({ name: 'StorageFault' })
    storage.trouble = 'none'
    await openPage().finishErase()
    expect(await idsAfterSignIn('ada')).toEqual(['app-of-ada'])
  })
})
