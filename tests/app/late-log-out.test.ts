// @vitest-environment happy-dom
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Services } from '#app/services.ts'
import { deviceUseStorageKey, sessionFlagKey } from '#contract/codes.ts'
import { openDatabase } from '#store/database.ts'
import { sessionIdKey } from '#store/device-use.ts'
import { newDraft } from '#store/draft.ts'
import { makeToken } from '#support/data/access-token.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { eventually } from '#support/eventually.ts'
import { closeServices, openServices } from '#support/fixtures/open-services.ts'
import { createFakeDevice, type FakeDevice } from '#support/providers/fake-device.ts'
import { type FakeRequest, installFakeFetch } from '#support/providers/fake-fetch.ts'

// Two tabs of one browser. The late tab gets no message of the other tab, as if the browser had paused its scripts.
let lateDevice: FakeDevice
let late: Services
let otherDevice: FakeDevice
let other: Services
let requests: FakeRequest[]
let ada: string

beforeEach(async () => {
  requests = installFakeFetch(({ url }) => (url.includes('/logout') ? {} : 'no connection'))
  lateDevice = createFakeDevice()
  otherDevice = openTabBeside(lateDevice)
  ada = crypto.randomUUID()
})

afterEach(async () => {
  await closeServices()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

/** Has the texts and locks of the browser, and its own tab storage, page and listeners. */
function openTabBeside(first: FakeDevice): FakeDevice {
  const tab = createFakeDevice()
  first.broadcast = message => tab.receiveBroadcast(message)
  return {
    ...tab,
    readText: key => first.readText(key),
    saveText: (key, text) => first.saveText(key, text),
    randomId: () => first.randomId(),
    withLock: (name, run) => first.withLock(name, run),
    isLockHeld: name => first.isLockHeld(name),
  }
}

async function openTabs(use: 'shared' | undefined) {
  lateDevice.saveText(deviceUseStorageKey, use)
  late = await openServices(lateDevice)
  await signIn(late, ada)
  await write(late, 'before')
  other = await openServices(otherDevice)
}

function signIn({ device, session }: Services, applicantId: string) {
  const iat = Math.floor(device.now() / 1_000)
  const token = makeToken({ applicantId, iat, exp: iat + 900 })
  return session.begin({ token, draftKey: `secret of ${applicantId}` })
}

async function write(page: Services, applicationId: string) {
  const { drafts, responses } = await page.openStore()
  await drafts.update(applicationId, () => newDraft({ values: firstPassport, tab: 'NicData' }))
  await responses.write('applications', [applicationId])
}

/** The number of log-out requests. A start on a shared device sends one too. */
const logOuts = () => requests.filter(({ url }) => url.includes('/logout')).length

/** Holds the writes that the end of the session waits for. Returns the function that lets it continue. */
function holdWrites({ pendingWrites }: Services): () => void {
  const held = { release: () => {} }
  const released = new Promise<void>(resolve => (held.release = resolve))
  pendingWrites.add(() => released)
  return held.release
}

/** Ends the session of the late tab. Returns the function that lets the tab clear the device. */
async function logOutLate(): Promise<() => Promise<void>> {
  const held = { release: () => {} }
  const stop = late.session.subscribe(() => {
    if (late.session.state().kind === 'signed-out') held.release = holdWrites(late)
  })
  const ended = late.session.logOut()
  if (lateDevice.readText(deviceUseStorageKey) === 'shared') {
    await eventually(() => expect(late.session.logoutStep()).toBe('asking'))
    // The wipe would delete the unsent draft: the applicant agrees.
    late.session.answerLogout(true)
  }
  await eventually(() => expect(late.session.state().kind).toBe('signed-out'))
  return async () => {
    stop()
    held.release()
    await ended
  }
}

async function rowsOf(applicantId: string) {
  const database = openDatabase()
  const rows = await Promise.all(database.tables.map(table => table.toArray()))
  database.close()
  return rows.flat().filter(row => row.applicantId === applicantId)
}

async function savedKeys() {
  const database = openDatabase()
  const rows = await database.keys.toArray()
  database.close()
  return rows
}

/** What the applicant finds in the open session of the other tab. */
async function readInOtherTab() {
  const { drafts, responses } = await other.openStore()
  const found = await drafts.all()
  return {
    ids: found.map(({ applicationId }) => applicationId),
    response: await responses.read('applications'),
  }
}

describe.each(['another applicant', 'the same applicant'])(
  'a tab of a shared device that logs out late, after %s has begun a session in another tab',
  who => {
    let nextId: string

    beforeEach(async () => {
      nextId = who === 'the same applicant' ? ada : crypto.randomUUID()
      await openTabs('shared')
    })

    async function beginNextSession() {
      await signIn(other, nextId)
      await write(other, 'after')
    }

    async function expectUntouched() {
      expect(other.session.state()).toMatchObject({ claims: { applicantId: nextId } })
      expect(otherDevice.readText(sessionIdKey)).toBe(other.session.id())
      const { ids, response } = await readInOtherTab()
      expect(ids).toContain('after')
      expect(response).toEqual(['after'])
    }

    async function lockedDraftsOfNext() {
      const rows = await rowsOf(nextId)
      return rows.filter(row => 'lockedAt' in row && row.lockedAt !== undefined).length
    }

    it('deletes nothing of that session when the late tab ended its own session before, and clears the device only now (D31)', async () => {
      const wipe = vi.spyOn(lateDevice, 'wipe')
      const finish = await logOutLate()
      await beginNextSession()
      await finish()
      await expectUntouched()
      expect(await lockedDraftsOfNext()).toBe(0)
      expect(wipe).not.toHaveBeenCalled()
      // The new page says only that this screen is cleared: the applicant may be logged in in the other tab.
      expect(lateDevice.openedAddresses).toEqual(['/?lg=fr&shared=1&left=erased'])
    })

    it('neither ends that session nor deletes anything of it when the late tab ends its own session only now (D31)', async () => {
      const release = holdWrites(late)
      const ended = late.session.logOut('inactivity')
      // What a log-out in the other tab does with the texts of the browser.
      lateDevice.saveText(sessionIdKey, undefined)
      await beginNextSession()
      const before = logOuts()
      release()
      await ended
      await expectUntouched()
      // When the session of the late tab ends, it locks the drafts of its own applicant.
      if (nextId !== ada) expect(await lockedDraftsOfNext()).toBe(0)
      expect(logOuts()).toBe(before)
      expect(lateDevice.openedAddresses).toEqual(['/?lg=fr&shared=1&left=erased'])
    })
  },
)

it('D23 a tab that logs out late leaves what the next session of the applicant needs for a start without the server', async () => {
  await openTabs(undefined)
  const finish = await logOutLate()
  await signIn(other, ada)
  await finish()
  const restarted = await openServices(otherDevice)
  const started = restarted.session.ready()
  await otherDevice.advance(3_000)
  expect(await started).toMatchObject({ kind: 'signed-in', claims: { applicantId: ada } })
})

/** Begins a session in the other tab, and then cuts off its messages, as if it were closed. */
async function replaceSession(nextId: string) {
  await signIn(other, nextId)
  await write(other, 'after')
  // A closed tab hears nothing.
  lateDevice.broadcast = () => undefined
}

describe('a tab that logs out after its session was replaced in a tab that is closed', () => {
  it('clears a shared device when the newer session is one of the same applicant (D31)', async () => {
    await openTabs('shared')
    await replaceSession(ada)
    const wipe = vi.spyOn(lateDevice, 'wipe')
    const finish = await logOutLate()
    await finish()
    expect(await rowsOf(ada)).toEqual([])
    expect(wipe).toHaveBeenCalledTimes(1)
    expect(lateDevice.readText(sessionIdKey)).toBeUndefined()
    // The new page says that the applicant is logged out, and that this screen is cleared.
    expect(lateDevice.openedAddresses).toEqual(['/?lg=fr&shared=1&left=asked'])
  })

  it('clears a shared device, and keeps only the locked drafts of another applicant (D31)', async () => {
    await openTabs('shared')
    const nextId = crypto.randomUUID()
    await replaceSession(nextId)
    const wipe = vi.spyOn(lateDevice, 'wipe')
    const finish = await logOutLate()
    await finish()
    expect(await rowsOf(ada)).toEqual([])
    const kept = await rowsOf(nextId)
    expect(kept).toMatchObject([{ applicationId: 'after', lockedAt: expect.any(Number) }])
    expect(wipe).toHaveBeenCalledTimes(1)
  })

  it('clears a shared device after inactivity, and keeps only locked drafts (D31)', async () => {
    await openTabs('shared')
    await replaceSession(ada)
    const wipe = vi.spyOn(lateDevice, 'wipe')
    await late.session.logOut('inactivity')
    const kept = await rowsOf(ada)
    expect(kept).toMatchObject(
      ['after', 'before'].map(applicationId => ({ applicationId, lockedAt: expect.any(Number) })),
    )
    expect(wipe).toHaveBeenCalledTimes(1)
    expect(lateDevice.openedAddresses).toEqual(['/?lg=fr&shared=1&left=locked'])
  })

  it('D23 leaves no claims for a start without the server', async () => {
    await openTabs(undefined)
    await replaceSession(ada)
    await late.session.logOut()
    const restarted = await openServices(otherDevice)
    const started = restarted.session.ready()
    await otherDevice.advance(3_000)
    expect(await started).toEqual({ kind: 'signed-out' })
  })

  it.each(['the same applicant', 'another applicant'])(
    'deletes the key of the newer session, which is one of %s, on a device that is not shared (D31)',
    async who => {
      await openTabs(undefined)
      await replaceSession(who === 'the same applicant' ? ada : crypto.randomUUID())
      await late.session.logOut()
      expect(await savedKeys()).toEqual([])
      expect(lateDevice.readText(sessionIdKey)).toBeUndefined()
      expect(lateDevice.readText(sessionFlagKey)).toBeUndefined()
    },
  )
})

it('does not delete the key of the newer session when the browser shows a page of the older session again (D31)', async () => {
  await openTabs(undefined)
  await replaceSession(ada)
  const before = lateDevice.readText(sessionIdKey)
  const cleared = vi.spyOn(await late.openStore(), 'clearKey')
  lateDevice.goBack()
  await eventually(() => expect(cleared).toHaveBeenCalled())
  await cleared.mock.results[0]?.value
  expect(await savedKeys()).toMatchObject([{ id: 'current', sessionId: before }])
  expect(lateDevice.readText(sessionIdKey)).toBe(before)
})
