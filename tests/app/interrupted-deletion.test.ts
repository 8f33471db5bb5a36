// @vitest-environment happy-dom
import 'fake-indexeddb/auto'
import { afterEach, expect, it, vi } from 'vitest'
import { deviceUseStorageKey } from '#contract/codes.ts'
import type { Services } from '#app/services.ts'
import { eraseVisit } from '#shell/kiosk-tools.tsx'
import { openDatabase } from '#store/database.ts'
import { pendingEraseKey } from '#store/device-use.ts'
import { newDraft } from '#store/draft.ts'
import { makeToken } from '#support/data/access-token.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { eventually } from '#support/eventually.ts'
import { closeServices, openServices } from '#support/fixtures/open-services.ts'
import { replaceStores } from '#support/providers/failing-storage.ts'
import { createFakeDevice, type FakeDevice } from '#support/providers/fake-device.ts'
import { installFakeFetch } from '#support/providers/fake-fetch.ts'

afterEach(async () => {
  await closeServices()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

function beginSession({ device, session }: Services, applicantId: string) {
  const iat = Math.floor(device.now() / 1_000)
  const token = makeToken({ applicantId, iat, exp: iat + 900 })
  return session.begin({ token, draftKey: `secret of ${applicantId}` })
}

async function signIn(device: FakeDevice, applicantId: string) {
  const page = await openServices(device)
  await beginSession(page, applicantId)
  const { drafts } = await page.openStore()
  await drafts.update(`app-of-${applicantId}`, () => newDraft({ values: firstPassport, tab: 'NicData' }))
  return page
}

async function countRows(applicantId: string): Promise<number> {
  const database = openDatabase()
  const rows = await Promise.all(database.tables.map(table => table.toArray()))
  database.close()
  return rows.flat().filter(row => row.applicantId === applicantId).length
}

/** The applicant has deleted the account on another device. This page learns it and is left before it has erased anything. */
async function learnAndLeave(applicantId: string): Promise<FakeDevice> {
  const json = { statusCode: 401, message: 'no', reason: 'account-deleted' }
  installFakeFetch(({ url }) => (url.includes('refresh-token') ? { status: 401, json } : 'no connection'))
  const device = createFakeDevice()
  const page = await signIn(device, applicantId)
  const store = await page.openStore()
  vi.spyOn(store, 'erase').mockReturnValue(new Promise(() => undefined))
  expect(await page.session.refresh()).toBe(false)
  expect(page.session.state().kind).toBe('signed-out')
  expect(await countRows(applicantId)).toBeGreaterThan(1)
  return device
}

it('the next page erases the rows of a deleted account when the earlier page was closed before it erased them (D112)', async () => {
  const device = await learnAndLeave('ada')
  const next = await openServices(device)
  expect((await next.session.ready()).kind).toBe('signed-out')
  await (await next.openStore()).finishErase()
  expect(await countRows('ada')).toBe(0)
  expect(device.readText(pendingEraseKey)).toBeUndefined()
})

it('a sign-in of another applicant first erases the rows of the deleted account, and keeps its own rows (D112)', async () => {
  const device = await learnAndLeave('ada')
  await signIn(device, 'ben')
  expect(await countRows('ada')).toBe(0)
  expect(await countRows('ben')).toBeGreaterThan(1)
  await (await (await openServices(device)).openStore()).finishErase()
  expect(await countRows('ben')).toBeGreaterThan(1)
})

it('a log-out of a shared device whose storage refuses to delete keeps the draft of another applicant, and the next page erases the rest (D31)', async () => {
  installFakeFetch(() => 'no connection')
  const device = createFakeDevice()
  device.saveText(deviceUseStorageKey, 'shared')
  // The browser has crashed during the session of Carl.
  await signIn(device, 'carl')
  const { session } = await signIn(device, 'dora')
  const rowsOfCarl = await countRows('carl')
  const wipe = vi.spyOn(device, 'wipe')
  const storage = refuseWrites()
  await logOutAndLose(session)
  expect(wipe).toHaveBeenCalledWith(expect.objectContaining({ keepsDrafts: true }))
  storage.mockRestore()
  await (await (await openServices(device)).openStore()).finishErase()
  expect(await countRows('dora')).toBe(0)
  expect(device.readText(pendingEraseKey)).toBeUndefined()
  expect(rowsOfCarl).toBeGreaterThan(0)
  expect(await countRows('carl')).toBe(rowsOfCarl)
})

it('a visit to a kiosk without a sign-in, after a log-out that could not delete its rows, keeps the draft of another applicant when the storage still refuses to delete (D31, OFF16)', async () => {
  installFakeFetch(() => 'no connection')
  const device = createFakeDevice()
  device.saveText(deviceUseStorageKey, 'kiosk:OF-1')
  // The browser has crashed during the session of Emma.
  await signIn(device, 'emma')
  const { session } = await signIn(device, 'fred')
  const storage = refuseWrites()
  await logOutAndLose(session)
  const wipe = vi.spyOn(device, 'wipe')
  await eraseVisit((await openServices(device)).session)
  expect(wipe).toHaveBeenCalledWith(expect.objectContaining({ keepsDrafts: true }))
  storage.mockRestore()
  await (await (await openServices(device)).openStore()).finishErase()
  expect(await countRows('fred')).toBe(0)
  expect(await countRows('emma')).toBeGreaterThan(0)
})

it('a visit to a kiosk without a sign-in keeps the draft of another applicant when it could not lock that draft before (D31, OFF16)', async () => {
  installFakeFetch(() => 'no connection')
  const device = createFakeDevice()
  device.saveText(deviceUseStorageKey, 'kiosk:OF-1')
  // The browser has crashed during the session of Gina.
  await signIn(device, 'gina')
  device.saveTabText('session', undefined)
  const visit = await openServices(device)
  // The storage fails once, at the lock; the deletion works.
  const storage = refuseWrites()
  device.broadcast = () => storage.mockRestore()
  await eraseVisit(visit.session)
  const next = await openServices(device)
  await (await next.openStore()).finishErase()
  await beginSession(next, 'gina')
  expect(await (await next.openStore()).drafts.all()).toHaveLength(1)
})

/** The applicant logs out, and agrees to lose the drafts that could not be sent. */
async function logOutAndLose(session: Services['session']) {
  const ended = session.logOut()
  await eventually(() => expect(session.logoutStep()).toBe('asking'))
  session.answerLogout(true)
  await ended
}

/** From now on the storage can only be read. */
function refuseWrites() {
  return replaceStores((store, mode) => {
    if (mode === 'readwrite') throw new DOMException('Internal error', 'UnknownError')
    return store
  })
}
