import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '#store/database.ts'
import { sessionIdKey } from '#store/device-use.ts'
import { newDraft } from '#store/draft.ts'
import { lockedDraftDays } from '#store/locked-drafts.ts'
import { createStoreOn, type Store } from '#store/store.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { createFakeDevice, type FakeDevice } from '#support/providers/fake-device.ts'

let name: string
let device: FakeDevice
let store: Store
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

beforeEach(async () => {
  name = crypto.randomUUID()
  device = createFakeDevice()
  store = openPage()
  await signIn(store, 'ada')
  await write(store, 'sent')
  await write(store, 'unsent')
})

afterEach(() => openDatabase(name).delete())

/** `id`: of the session of the page. `applicantId`: of that session, which a page without a key knows too. */
function openPage(id?: string, applicantId?: string): Store {
  const hasNewer = () => ![undefined, id].includes(device.readText(sessionIdKey))
  const session = { applicantId: () => applicantId, id: () => id, hasNewer }
  return createStoreOn(openDatabase(name), device, mergeScreenForm, session)
}

/** `issuedAtMs`: the time of the server. */
function signIn(page: Store, applicantId: string, issuedAtMs = 0) {
  return page.setKey({ applicantId, draftKey: `secret of ${applicantId}`, issuedAtMs }, 'memory')
}

function write(page: Store, applicationId: string) {
  return page.drafts.update(applicationId, () => newDraft({ values: firstPassport, tab: 'NicData' }))
}

/** Replaces an answer, so that the draft has a revision. */
function writeAgain(page: Store, applicationId: string) {
  const values = { ...firstPassport, surname: 'Mbock' }
  return page.drafts.update(applicationId, draft => draft && { ...draft, values })
}

async function revisionCountsAfterSignIn(applicantId: string): Promise<number[]> {
  const page = openPage()
  await signIn(page, applicantId)
  const revisions = await Promise.all(['sent', 'unsent'].map(id => page.revisions(id)))
  return revisions.map(({ length }) => length)
}

function moveToServerId() {
  return store.drafts.move('local-1', 'app-9', draft => draft)
}

/** Resolves to whether the device keeps locked drafts, of any applicant. */
async function endSession(page: Store, unsent: readonly string[]): Promise<boolean> {
  await page.lockedDrafts.lock(unsent)
  await page.lockedDrafts.lockDraftsOfOtherApplicants()
  await page.clearKey()
  return page.lockedDrafts.deleteAllButLocked({ keepsOwnLocked: false })
}

async function idsAfterSignIn(applicantId: string): Promise<string[]> {
  const page = openPage()
  await signIn(page, applicantId)
  return (await page.drafts.all()).map(({ applicationId }) => applicationId)
}

async function rowCounts(): Promise<number[]> {
  const database = openDatabase(name)
  await database.open()
  const counts = await Promise.all(database.tables.map(table => table.count()))
  database.close()
  return counts
}

it('keeps what another applicant saves in another tab after the log-out has begun (D31)', async () => {
  const other = openPage()
  await signIn(other, 'ben')
  await store.lockedDrafts.lockDraftsOfOtherApplicants()
  await write(other, 'of-ben')
  await store.clearKey()
  expect(await store.lockedDrafts.deleteAllButLocked({ keepsOwnLocked: false })).toBe(true)
  expect(await idsAfterSignIn('ada')).toEqual([])
  expect(await idsAfterSignIn('ben')).toEqual(['of-ben'])
})

it('deletes and locks nothing when another session begins before the deletion (D31)', async () => {
  const late = openPage('session 1')
  const deleted = late.lockedDrafts.deleteAllButLocked({ keepsOwnLocked: false })
  // While the late page opens its database.
  device.saveText(sessionIdKey, 'session 2')
  expect(await deleted).toBe(true)
  expect(await store.lockedDrafts.exist()).toBe(false)
  expect(await store.drafts.all()).toHaveLength(2)
})

it('deletes the drafts of the applicant who logs out of a page that has no key (D31)', async () => {
  const page = openPage('session 2', 'ada')
  await page.lockedDrafts.lockDraftsOfOtherApplicants()
  expect(await page.lockedDrafts.deleteAllButLocked({ keepsOwnLocked: false })).toBe(false)
  expect(await idsAfterSignIn('ada')).toEqual([])
})

describe('a shared device whose browser crashed, or whose session the server refused (D31)', () => {
  it('keeps the drafts through the session of another applicant, because the device does not know whether they were sent', async () => {
    const other = openPage()
    await signIn(other, 'ben')
    await write(other, 'of-ben')
    expect(await endSession(other, [])).toBe(true)
    expect(await idsAfterSignIn('ben')).toEqual([])
    expect(await idsAfterSignIn('ada')).toEqual(['sent', 'unsent'])
  })

  it('deletes the drafts of the applicant who logs out', async () => {
    expect(await endSession(store, [])).toBe(false)
    expect(await idsAfterSignIn('ada')).toEqual([])
  })
})

describe('a draft that a tab has locked while the session ends (D31)', () => {
  it('stays when a tab that starts at that moment unlocks it and clears the device first', async () => {
    const [locking, starting] = [openPage('session 1'), openPage('session 1')]
    await signIn(locking, 'ada')
    await locking.lockedDrafts.lock(['unsent'])
    await signIn(starting, 'ada')
    await starting.clearKey()
    await starting.lockedDrafts.deleteAllButLocked({ keepsOwnLocked: true })
    await locking.clearKey()
    await locking.lockedDrafts.deleteAllButLocked({ keepsOwnLocked: true })
    expect(await idsAfterSignIn('ada')).toEqual(['unsent'])
  })

  it('is deleted when another tab continues the session after the locking tab has crashed, and then logs out', async () => {
    const [crashed, beside] = [openPage('session 1'), openPage('session 1')]
    await signIn(crashed, 'ada')
    await signIn(beside, 'ada')
    await crashed.lockedDrafts.lock(['unsent'])
    device.sleep(minuteMs + 1)
    await write(beside, 'unsent')
    expect(await beside.lockedDrafts.deleteAllButLocked({ keepsOwnLocked: false })).toBe(false)
    expect(await idsAfterSignIn('ada')).toEqual([])
  })

  it.each([
    ['the lock may be of a log-out that runs in another tab', 'session 1', minuteMs],
    ['the lock is of another session', 'session 2', minuteMs + 1],
  ])('stays when the applicant logs out while %s', async (_name, id, elapsedMs) => {
    const [locking, leaving] = [openPage('session 1'), openPage(id)]
    await signIn(locking, 'ada')
    await signIn(leaving, 'ada')
    await locking.lockedDrafts.lock(['unsent'])
    device.sleep(elapsedMs)
    expect(await leaving.lockedDrafts.deleteAllButLocked({ keepsOwnLocked: false })).toBe(true)
    expect(await idsAfterSignIn('ada')).toEqual(['unsent'])
  })

  it('stays when another tab logs out at that moment, and the clock of the device is a day behind', async () => {
    const [locking, leaving] = [openPage('session 1'), openPage('session 1')]
    await signIn(locking, 'ada', device.now() + dayMs)
    await signIn(leaving, 'ada', device.now() + dayMs + 45 * minuteMs)
    await locking.lockedDrafts.lock(['unsent'])
    expect(await leaving.lockedDrafts.deleteAllButLocked({ keepsOwnLocked: false })).toBe(true)
    expect(await idsAfterSignIn('ada')).toEqual(['unsent'])
  })

  it('stays when a tab that knows no time of the server logs out at that moment', async () => {
    const [locking, leaving] = [openPage('session 1'), openPage('session 1', 'ada')]
    await signIn(locking, 'ada')
    await leaving.lockedDrafts.lockDraftsOfOtherApplicants()
    await locking.lockedDrafts.lock(['unsent'])
    expect(await leaving.lockedDrafts.deleteAllButLocked({ keepsOwnLocked: false })).toBe(true)
    expect(await idsAfterSignIn('ada')).toEqual(['unsent'])
  })

  it('is a usual draft again in the next session', async () => {
    const locking = openPage('session 1')
    await signIn(locking, 'ada')
    await locking.lockedDrafts.lock(['unsent'])
    await signIn(openPage('session 2'), 'ada')
    expect(await store.lockedDrafts.exist()).toBe(false)
  })
})

it('keeps for days what a visit without a sign-in locks, on a device whose clock is years behind (D31)', async () => {
  const serverTime = new Date(device.now()).toISOString()
  device.moveWallClock(-device.now())
  const visit = openPage()
  await visit.lockedDrafts.deleteAllButLocked({ keepsOwnLocked: true })
  const next = openPage()
  await next.lockedDrafts.deleteExpired(serverTime)
  expect(await next.lockedDrafts.exist()).toBe(true)
  const later = new Date(Date.parse(serverTime) + (lockedDraftDays + 1) * dayMs).toISOString()
  await next.lockedDrafts.deleteExpired(later)
  expect(await next.lockedDrafts.exist()).toBe(false)
})

describe('the earlier answers on a shared device (D31, D63)', () => {
  beforeEach(async () => {
    await writeAgain(store, 'sent')
    await writeAgain(store, 'unsent')
  })

  it('stay with a locked draft, and are deleted with the drafts that the log-out deletes', async () => {
    await endSession(store, ['unsent'])
    expect(await revisionCountsAfterSignIn('ada')).toEqual([0, 1])
  })

  it('of another applicant’s drafts stay when this applicant logs out', async () => {
    const other = openPage()
    await signIn(other, 'ben')
    await write(other, 'sent')
    await writeAgain(other, 'sent')
    await endSession(other, [])
    expect(await revisionCountsAfterSignIn('ben')).toEqual([0, 0])
    expect(await revisionCountsAfterSignIn('ada')).toEqual([1, 1])
  })

  it('are deleted with the locked draft after 7 days', async () => {
    await endSession(store, ['unsent'])
    device.sleep(lockedDraftDays * dayMs + 1)
    await openPage().lockedDrafts.deleteExpired(undefined)
    expect((await rowCounts()).reduce((total, count) => total + count, 0)).toBe(0)
  })

  it('of the draft of another applicant stay when a locked draft expires', async () => {
    await endSession(store, ['unsent'])
    const own = openPage()
    await signIn(own, 'ben')
    await write(own, 'sent')
    await writeAgain(own, 'sent')
    device.sleep(lockedDraftDays * dayMs + 1)
    await own.lockedDrafts.deleteExpired(undefined)
    expect(await own.revisions('sent')).toHaveLength(1)
  })
})

describe('a draft that moves to the server’s id while its session ends (D31, D33)', () => {
  beforeEach(() => write(store, 'local-1'))

  it('stays locked when the server answers the creation after the lock', async () => {
    await store.lockedDrafts.lock(['local-1'])
    await moveToServerId()
    expect(await endSession(store, [])).toBe(true)
    expect(await idsAfterSignIn('ada')).toEqual(['app-9'])
  })

  it('is locked when the server answered before the lock', async () => {
    await moveToServerId()
    expect(await store.lockedDrafts.lock(['local-1'])).toBe(true)
    expect(await endSession(store, [])).toBe(true)
    expect(await idsAfterSignIn('ada')).toEqual(['app-9'])
  })
})

describe('a shared device after inactivity without a connection (D31)', () => {
  it('keeps the unsent drafts alone, and the same applicant reads them after the next sign-in', async () => {
    await store.responses.write('list', ['sent', 'unsent'])
    expect(await endSession(store, ['unsent'])).toBe(true)
    expect((await rowCounts()).reduce((total, count) => total + count, 0)).toBe(1)
    const next = openPage()
    expect(await next.drafts.all()).toEqual([])
    await signIn(next, 'ada')
    expect((await next.drafts.read('unsent'))?.values).toMatchObject(firstPassport)
    // The draft is no longer locked: the next session decides about it again.
    expect(await next.lockedDrafts.exist()).toBe(false)
  })

  it('keeps the drafts through the session of another applicant, who cannot read them', async () => {
    await endSession(store, ['unsent'])
    const other = openPage()
    await signIn(other, 'ben')
    expect(await other.drafts.all()).toEqual([])
    await write(other, 'of-ben')
    expect(await endSession(other, [])).toBe(true)
    expect(await idsAfterSignIn('ben')).toEqual([])
    expect(await idsAfterSignIn('ada')).toEqual(['unsent'])
  })

  it('keeps a locked draft that another tab writes once more', async () => {
    const beside = openPage()
    await signIn(beside, 'ada')
    await store.lockedDrafts.lock(['unsent'])
    await write(beside, 'unsent')
    expect(await endSession(beside, [])).toBe(true)
    expect(await idsAfterSignIn('ada')).toEqual(['unsent'])
  })

  it('keeps the drafts when another tab of the applicant starts during the log-out', async () => {
    await store.lockedDrafts.lock(['unsent'])
    await signIn(openPage(), 'ada')
    await store.clearKey()
    expect(await store.lockedDrafts.deleteAllButLocked({ keepsOwnLocked: false })).toBe(true)
    expect(await idsAfterSignIn('ada')).toEqual(['unsent'])
  })

  it('keeps nothing when no draft is unsent', async () => {
    expect(await endSession(store, [])).toBe(false)
    expect(await idsAfterSignIn('ada')).toEqual([])
  })

  it('deletes the drafts at a start after 7 days, and not before', async () => {
    await endSession(store, ['unsent'])
    device.sleep(lockedDraftDays * dayMs)
    await openPage().lockedDrafts.deleteExpired(undefined)
    expect(await store.lockedDrafts.exist()).toBe(true)
    device.sleep(1)
    await openPage().lockedDrafts.deleteExpired(undefined)
    expect(await store.lockedDrafts.exist()).toBe(false)
  })

  it.each([
    ['inactivity', async () => endSession(store, ['unsent'])],
    ['a sign-in of another applicant in another tab', async () => store.lockedDrafts.lock(['unsent'])],
  ])('keeps what it locked after %s with a clock that was years behind', async (_name, lock) => {
    const serverMs = device.now() + 1_000 * dayMs
    await signIn(store, 'ada', serverMs)
    await lock()
    const later = openPage()
    await later.lockedDrafts.deleteExpired(new Date(serverMs + dayMs).toISOString())
    expect(await later.lockedDrafts.exist()).toBe(true)
  })

  it('counts the days from the first start with a right clock', async () => {
    device.sleep(1_000 * dayMs)
    await endSession(store, ['unsent'])
    device = createFakeDevice()
    await openPage().lockedDrafts.deleteExpired(undefined)
    device.sleep(lockedDraftDays * dayMs + 1)
    await openPage().lockedDrafts.deleteExpired(undefined)
    expect(await store.lockedDrafts.exist()).toBe(false)
  })
})
