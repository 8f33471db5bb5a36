import { beforeEach, expect, it } from 'vitest'
import type { KeyLifetime } from '#store/applicant-key.ts'
import { openDatabase } from '#store/database.ts'
import { pendingEraseKey, sessionIdKey } from '#store/device-use.ts'
import { newDraft } from '#store/draft.ts'
import { createStoreOn, type Store } from '#store/store.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { createFailingStorage, type FailingStorage } from '#support/providers/failing-storage.ts'
import { createFakeDevice, type FakeDevice } from '#support/providers/fake-device.ts'

let storage: FailingStorage
let device: FakeDevice

beforeEach(() => {
  storage = createFailingStorage()
  device = createFakeDevice()
})

/** A page of this browser, with this session. */
function openPage(id?: string): Store {
  const hasNewer = () => ![undefined, id].includes(device.readText(sessionIdKey))
  const session = { applicantId: () => undefined, id: () => id, hasNewer }
  return createStoreOn(openDatabase('portal', storage.factory), device, mergeScreenForm, session)
}

async function signIn(store: Store, applicantId: string, lifetime: KeyLifetime = 'device') {
  await store.setKey({ applicantId, draftKey: `secret of ${applicantId}` }, lifetime)
  await store.responses.write('applications', [1])
  await store.drafts.update(`app-of-${applicantId}`, () =>
    newDraft({ values: firstPassport, tab: 'NicData' }),
  )
}

async function countRows(applicantId: string): Promise<number> {
  const database = openDatabase('portal', storage.factory)
  const rows = await Promise.all(database.tables.map(table => table.toArray()))
  database.close()
  return rows.flat().filter(row => row.applicantId === applicantId).length
}

/** The session 1 of Ada has ended because she has deleted her account, and the page was left before it erased her rows. */
async function leaveBeforeErase() {
  await signIn(openPage('session 1'), 'ada')
  device.saveText(pendingEraseKey, 'session 1')
}

it('erases the rows of the session that an earlier page could not erase (D112)', async () => {
  await leaveBeforeErase()
  await openPage().finishErase()
  expect(await countRows('ada')).toBe(0)
  expect(device.readText(pendingEraseKey)).toBeUndefined()
})

it('erases the rows also when another log-out has ended the session of the deleted account first (D112)', async () => {
  const page = openPage('session 1')
  await signIn(page, 'ada')
  device.saveText(pendingEraseKey, 'session 1')
  await page.clearKey({ keepsUnsaved: true, endsNewer: true })
  await openPage().finishErase()
  expect(await countRows('ada')).toBe(0)
})

it('erases nothing without a session to erase (D112)', async () => {
  await signIn(openPage('session 1'), 'ada')
  const before = await countRows('ada')
  await openPage().finishErase()
  expect(await countRows('ada')).toBe(before)
})

it('erases the rows when the next applicant signs in, and none of the next applicant (D112)', async () => {
  await leaveBeforeErase()
  await signIn(openPage('session 2'), 'ben')
  expect(await countRows('ada')).toBe(0)
  const rowsOfBen = await countRows('ben')
  expect(rowsOfBen).toBeGreaterThan(1)
  await openPage().finishErase()
  expect(await countRows('ben')).toBe(rowsOfBen)
})

it('never erases the rows of an applicant who has signed in in another tab since (D112)', async () => {
  await signIn(openPage('session 2'), 'ben')
  device.saveText(pendingEraseKey, 'session 1')
  const rowsOfBen = await countRows('ben')
  await openPage().finishErase()
  expect(await countRows('ben')).toBe(rowsOfBen)
  expect(device.readText(pendingEraseKey)).toBeUndefined()
})

it.each([
  ['keeps', 'the same applicant', 'ada'],
  ['erases', 'another applicant', 'ben'],
])(
  '%s the rows of a deleted account in a page that is late, after %s has begun a session in another tab (D112)',
  async (rowsOfAda, _who, next) => {
    const late = openPage('session 1')
    await signIn(late, 'ada')
    device.saveText(sessionIdKey, 'session 2')
    await signIn(openPage('session 2'), next)
    const before = await countRows('ada')
    const rowsOfBen = await countRows('ben')
    expect(before).toBeGreaterThan(1)
    await late.erase()
    expect(await countRows('ada')).toBe(rowsOfAda === 'keeps' ? before : 0)
    expect(await countRows('ben')).toBe(rowsOfBen)
  },
)

it('erases nothing of an applicant who has signed in again since and keeps the account (D112)', async () => {
  await signIn(openPage('session 2'), 'ada')
  device.saveText(pendingEraseKey, 'session 1')
  const rows = await countRows('ada')
  expect(rows).toBeGreaterThan(1)
  await openPage().finishErase()
  expect(await countRows('ada')).toBe(rows)
})

it('tries again at the next start when the storage fails, and lets a sign-in continue (D112)', async () => {
  await leaveBeforeErase()
  storage.trouble = 'connection stays lost'
  await expect(openPage().finishErase()).rejects.toMatchObject({ name: 'StorageFault' })
  await openPage('session 2').setKey({ applicantId: 'ben', draftKey: 'secret of ben' }, 'device')
  expect(device.readText(pendingEraseKey)).toBe('session 1')
  storage.trouble = 'none'
  await openPage().finishErase()
  expect(await countRows('ada')).toBe(0)
})

it('deletes the key after a failed deletion, and knows the applicant at the next start (D112)', async () => {
  const page = openPage('session 1')
  await signIn(page, 'ada')
  device.saveText(pendingEraseKey, 'session 1')
  storage.trouble = 'connection stays lost'
  await expect(page.erase()).rejects.toMatchObject({ name: 'StorageFault' })
  storage.trouble = 'none'
  await page.clearKey()
  expect(device.readText(pendingEraseKey)).toBe('session 1')
  expect(await openPage('session 1').drafts.all()).toEqual([])
  const database = openDatabase('portal', storage.factory)
  expect((await database.keys.toArray()).filter(({ key }) => key !== undefined)).toEqual([])
  database.close()
  expect(await countRows('ada')).toBeGreaterThan(1)
  await openPage().finishErase()
  expect(await countRows('ada')).toBe(0)
})

it('erases at the wipe of a shared device what the log-out has locked, when the storage failed at the erase (D31, D112)', async () => {
  const page = openPage('session 1')
  await signIn(page, 'ada', 'memory')
  await page.lockedDrafts.lock(['app-of-ada'])
  device.saveText(pendingEraseKey, 'session 1')
  storage.trouble = 'connection stays lost'
  await expect(page.erase()).rejects.toMatchObject({ name: 'StorageFault' })
  storage.trouble = 'none'
  await device.advance(60_000)
  await page.clearKey()
  expect(await page.lockedDrafts.deleteAllButLocked({ keepsOwnLocked: false })).toBe(false)
  expect(await countRows('ada')).toBe(0)
})

it('has nothing left to do at the next start once the page has erased the rows (D112)', async () => {
  const page = openPage('session 1')
  await signIn(page, 'ada')
  device.saveText(pendingEraseKey, 'session 1')
  await page.erase()
  await page.clearKey()
  expect(await countRows('ada')).toBe(0)
  expect(device.readText(pendingEraseKey)).toBeUndefined()
})
