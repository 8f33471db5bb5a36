import { EventEmitter, once } from 'node:events'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAnswerMarks } from '#api/answer-marks.ts'
import { createCall, loadResponseReader } from '#api/client.ts'
import { sharedDeviceHeader } from '#contract/codes.ts'
import { createSession, type SessionEndReason, type Session } from '#session/session.ts'
import { type DeviceUse, durableKeys, pendingEraseKey } from '#store/device-use.ts'
import { makeToken } from '#support/data/access-token.ts'
import type { TokenClaims } from '#contract/session.ts'
import { doNothing } from '#device/do-nothing.ts'
import { installFakeFetch, type FakeRequest } from '#support/providers/fake-fetch.ts'
import { createFakeDevice, type FakeDevice } from '#support/providers/fake-device.ts'
import { eventually } from '#support/eventually.ts'

let device: FakeDevice
let session: Session
let endings: SessionEndReason[]
let use: DeviceUse
/** The runs of the hook that sends unsent drafts before a log-out. */
let draftSends: { token: string | undefined; at: number }[]
/** The hook ends when this promise resolves. */
let draftsSent: Promise<void>
/** The hook that finishes writes ends when this promise resolves. */
let writesFinished: Promise<void>
/** The token of each run of the hook that finishes writes. */
let finishedWith: (string | undefined)[]
let hasUnsentDrafts: boolean
/** The hook that finds unsent drafts ends when this promise resolves. */
let unsentFound: Promise<void>
/** How often the hook that finds unsent drafts has begun. */
let finds: number
/** The hook that locks unsent drafts ends when this promise resolves. */
let unsentLocked: Promise<void>
/** The hook that locks the drafts of other applicants ends when this promise resolves. */
let othersLocked: Promise<void>
/** The hooks that lock drafts, in the order of their start. */
let locks: ('unsent' | 'others')[]
/** Whether the device holds locked drafts, of any applicant. */
let hasLockedDrafts: boolean
/** What the server answers. */
let logOut: 'confirmed' | 'no connection' | 'unavailable' | 'hangs'
let refresh: 'renewed' | 'refused' | 'no connection' | 'hangs'
let requests: FakeRequest[]
let cachedClaims: TokenClaims | undefined
/** The secrets that a refreshed token brings. */
let refreshedKeys: { draftKey?: string; previousDraftKey?: string }

// A hydrated page has loaded the response reader.
beforeAll(loadResponseReader)

beforeEach(() => {
  device = createFakeDevice()
  endings = []
  use = { kind: 'own' }
  draftSends = []
  finishedWith = []
  draftsSent = Promise.resolve()
  writesFinished = Promise.resolve()
  hasUnsentDrafts = false
  unsentFound = Promise.resolve()
  finds = 0
  unsentLocked = Promise.resolve()
  othersLocked = Promise.resolve()
  locks = []
  hasLockedDrafts = false
  logOut = 'confirmed'
  refresh = 'renewed'
  cachedClaims = undefined
  refreshedKeys = {}
  unlockCount = 0
  requests = installFakeFetch(({ url }) => {
    if (url.endsWith('/logout')) {
      if (logOut === 'no connection' || logOut === 'hangs') return logOut
      return logOut === 'confirmed' ? {} : { status: 503, json: { statusCode: 503 } }
    }
    if (!url.endsWith('/refresh-token')) return {}
    if (refresh === 'no connection') return 'no connection'
    if (refresh === 'hangs') return 'hangs'
    if (refresh === 'refused') return { status: 401, json: { statusCode: 401, message: 'no' } }
    return { json: { data: { token: makeToken({ jti: requests.length }), ...refreshedKeys } } }
  })
  session = openTab(device)
})

afterEach(() => {
  vi.unstubAllGlobals()
})

type SessionHooks = { onOpen?: () => Promise<void>; onEnd?: () => Promise<void> }

/** How often a session called the hook that unlocks the store, also when the hook failed. */
let unlockCount = 0

function openTab(tab: FakeDevice, { onOpen, onEnd }: SessionHooks = {}): Session {
  const call = createCall({
    device: tab,
    origin: '',
    token: () => opened.token(),
    refreshSession: () => opened.refresh(),
    watchSessionEnd: () => opened.watchEnd(),
    onProblem: () => undefined,
    onReached: () => undefined,
    answerMarks: createAnswerMarks(device),
    isShared: () => use.kind !== 'own',
  })
  const opened: Session = createSession({
    device: tab,
    call,
    async onOpen() {
      unlockCount += 1
      await onOpen?.()
    },
    writeCachedClaims: async claims => void (cachedClaims = claims),
    readCachedClaims: async () => cachedClaims,
    deviceUse: () => use,
    async finishWrites() {
      finishedWith.push(opened.token())
      await writesFinished
    },
    async beforeLogout() {
      draftSends.push({ token: opened.token(), at: tab.now() })
      await draftsSent
    },
    async findUnsentDrafts() {
      finds += 1
      await unsentFound
      return hasUnsentDrafts ? 'unsent' : 'none'
    },
    async lockUnsentDrafts() {
      locks.push('unsent')
      await unsentLocked
      // Without a session the store has no key, and locks nothing.
      const isLocked = hasUnsentDrafts && opened.state().kind === 'signed-in'
      hasLockedDrafts ||= isLocked
      return isLocked
    },
    async lockDraftsOfOthers() {
      locks.push('others')
      await othersLocked
      return hasLockedDrafts
    },
    async onEnd(ending) {
      if (onEnd) await onEnd()
      endings.push(ending)
    },
  })
  return opened
}

/** Logs out in one of two tabs. Returns the other tab, which has not received the message yet, and that message. */
async function logOutInOneOfTwoTabs() {
  await session.begin({ token: makeToken() })
  const other = openTab(device)
  await other.ready()
  await session.logOut()
  const [message] = device.broadcasts
  if (!message) throw new Error('the log-out was not broadcast')
  endings = []
  return { other, message }
}

function answerDeleted() {
  const json = { statusCode: 401, message: 'no', reason: 'account-deleted' }
  installFakeFetch(() => ({ status: 401, json }))
}

/** Signs in in another tab of this browser: copies what that tab saves to the storage of `device`. */
async function signInElsewhere(applicantId: string) {
  const tab = createFakeDevice()
  tab.randomId() // so that the session gets another id than the first session
  await openTab(tab).begin({ token: makeToken({ applicantId }) })
  for (const key of ['session', 'session-id', 'activity']) device.saveText(key, tab.readText(key))
}

describe('the start of a page on a shared device (D31)', () => {
  beforeEach(() => {
    use = { kind: 'shared' }
  })

  it.each([{ kind: 'shared' }, { kind: 'kiosk', officeId: '3' }] as const)(
    'logs out at the server, because the cookie of a crashed browser still opens a session: $kind',
    async sharedUse => {
      use = sharedUse
      const restarted = openTab(device)
      await expect.poll(() => logOuts()).toBe(1)
      expect((await restarted.ready()).kind).toBe('signed-out')
      expect(requests.some(({ url }) => url.endsWith('/refresh-token'))).toBe(false)
    },
  )

  it('logs out too when the browser restores the tab with its flag after a crash, because its page was neither left nor hidden', async () => {
    device.saveTabText('session', '1')
    const restored = openTab(device)
    await expect.poll(() => logOuts()).toBe(1)
    expect((await restored.ready()).kind).toBe('signed-out')
    expect(requests.some(({ url }) => url.endsWith('/refresh-token'))).toBe(false)
  })

  it('continues when the phone ended a hidden page', async () => {
    await session.begin({ token: makeToken() })
    device.hidePage()
    expect((await openTab(device).ready()).kind).toBe('signed-in')
  })

  it('does not continue when the page was shown again before the crash', async () => {
    await session.begin({ token: makeToken() })
    device.hidePage()
    device.wakeUp()
    expect((await openTab(device).ready()).kind).toBe('signed-out')
  })

  it('retries the log-out until the server confirms it', async () => {
    logOut = 'no connection'
    openTab(device)
    await expect.poll(() => logOuts()).toBe(1)
    await expectRetriesUntilConfirmed()
  })

  it('does not log out while another tab signs in, because the answer would delete the new cookie', async () => {
    session.holdForSignIn()
    openTab(device)
    await device.advance(60_000)
    expect(logOuts()).toBe(0)
  })

  it('does not log out while another tab is signed in, and does when no tab is', async () => {
    const first = createFakeDevice()
    const signedIn = openTab(first)
    await expect.poll(() => logOuts()).toBe(1)
    await signedIn.begin({ token: makeToken() })
    const before = logOuts()
    first.saveTabText('session', undefined) // a new tab has its own tab storage
    openTab(first)
    await first.advance(1_000)
    expect(logOuts()).toBe(before)
    expect(signedIn.state().kind).toBe('signed-in')
    openTab(createFakeDevice()) // a browser in which no tab is signed in
    await expect.poll(() => logOuts()).toBe(before + 1)
  })

  it('does not end the session after a reload of the tab', async () => {
    device.saveTabText('session', '1')
    device.leavePage()
    expect((await openTab(device).ready()).kind).toBe('signed-in')
    expect(logOuts()).toBe(0)
  })

  it('sends nothing on the applicant’s own phone', async () => {
    use = { kind: 'own' }
    openTab(device)
    await device.advance(1_000)
    expect(requests).toEqual([])
  })
})

describe('a session', () => {
  it('refreshes its token at half of its lifetime and uses the new one (SES04, SES05)', async () => {
    const first = makeToken()
    await session.begin({ token: first })
    await device.advance(449_000)
    expect(requests).toEqual([])
    await device.advance(2_000)
    expect(requests.map(({ url }) => url)).toEqual(['/api/v1/refresh-token'])
    expect(session.token()).not.toBe(first)
  })

  it('does not unlock the store again, and caches the claims again, when its token is refreshed (SES04, D31)', async () => {
    await session.begin({ token: makeToken(), draftKey: 'secret' })
    const claimsBefore = cachedClaims
    await device.advance(451_000)
    expect(requests).toHaveLength(1)
    expect(unlockCount).toBe(1)
    expect(cachedClaims).not.toBe(claimsBefore)
  })

  it('unlocks the store once more when a refreshed token brings another key (D110)', async () => {
    await session.begin({ token: makeToken(), draftKey: 'old' })
    refreshedKeys = { draftKey: 'old' }
    await device.advance(451_000)
    expect(unlockCount).toBe(1)
    refreshedKeys = { draftKey: 'old', previousDraftKey: 'new' }
    await device.advance(451_000)
    expect(unlockCount).toBe(2)
    refreshedKeys = { draftKey: 'new', previousDraftKey: 'old' }
    await device.advance(451_000)
    await device.advance(451_000)
    expect(unlockCount).toBe(3)
  })

  it('unlocks the store at a refresh when it could not be unlocked before (D31)', async () => {
    let isBroken = true
    const tab = openTab(device, {
      onOpen: () => (isBroken ? Promise.reject(new Error('no storage')) : Promise.resolve()),
    })
    await tab.begin({ token: makeToken() })
    isBroken = false
    await device.advance(451_000)
    expect(unlockCount).toBe(2)
    await device.advance(451_000)
    expect(unlockCount).toBe(2)
  })

  it('unlocks the store again when the same applicant signs in after a log-out (D31)', async () => {
    await session.begin({ token: makeToken() })
    await session.logOut()
    await session.begin({ token: makeToken() })
    expect(unlockCount).toBe(2)
  })

  it('ends when the server refuses the refresh (SES06)', async () => {
    await session.begin({ token: makeToken() })
    refresh = 'refused'
    await device.advance(450_000)
    expect(endings).toEqual(['refused'])
    expect(session.state().kind).toBe('signed-out')
  })

  it('stays when the service is unreachable, and refreshes when the service is back (S82)', async () => {
    await session.begin({ token: makeToken() })
    refresh = 'no connection'
    await device.advance(450_000)
    expect(session.state().kind).toBe('signed-in')
    refresh = 'renewed'
    await device.advance(4_000)
    expect(session.state().kind).toBe('signed-in')
    expect(requests).toHaveLength(2)
  })

  it('is restored by its cookie after a reload (S81)', async () => {
    await session.begin({ token: makeToken() })
    const reloaded = openTab(device)
    expect(reloaded.token()).toBeUndefined()
    expect((await reloaded.ready()).kind).toBe('signed-in')
    expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual([null])
  })

  it('sends no request on a first visit', async () => {
    expect((await session.ready()).kind).toBe('signed-out')
    expect(requests).toEqual([])
  })

  it('ends at a log-out, and informs the server and the other tabs (SES12, S85)', async () => {
    await session.begin({ token: makeToken() })
    await session.logOut()
    expect(requests.map(({ url, method }) => `${method} ${url}`)).toEqual([
      'POST /api/v1/refresh-token/logout',
    ])
    expect(requests[0]?.headers.get('authorization')).toMatch(/^Bearer /)
    expect(device.broadcasts).toEqual([
      {
        kind: 'logged-out',
        sessionId: expect.any(String),
        applicantId: expect.any(String),
        isInactivity: false,
      },
    ])
    expect(endings).toEqual(['asked'])
    expect(session.token()).toBeUndefined()
  })

  it('sends its token with the log-out, because the browser may have lost the cookie (SES12)', async () => {
    const token = makeToken()
    await session.begin({ token })
    await session.logOut()
    expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual([`Bearer ${token}`])
  })

  it('finishes writes with its token, but sends no drafts, at a log-out on the applicant’s own phone', async () => {
    await session.begin({ token: makeToken() })
    await session.logOut('inactivity')
    expect(finishedWith).toEqual([expect.any(String)])
    expect(draftSends).toEqual([])
  })

  it('stays ended when the applicant logs out during the refresh (SES12, S80)', async () => {
    await session.begin({ token: makeToken() })
    installFakeFetch(({ url }) => {
      if (!url.endsWith('/refresh-token')) return {}
      void session.logOut()
      return { json: { data: { token: makeToken() } } }
    })
    await device.advance(450_000)
    expect(session.state().kind).toBe('signed-out')
    expect(session.token()).toBeUndefined()
    expect(endings).toEqual(['asked'])
  })

  it('stays ended when the applicant logs out while the store is being unlocked (SES12, D31)', async () => {
    const steps: string[] = []
    const store = new EventEmitter()
    const slow = openTab(device, {
      async onOpen() {
        store.emit('opening')
        await once(store, 'ready')
        steps.push('opened')
      },
    })
    const opening = once(store, 'opening')
    const beginning = slow.begin({ token: makeToken() })
    await opening
    const leaving = slow.logOut()
    store.emit('ready')
    expect(await beginning).toBe(false)
    await leaving
    expect(slow.state().kind).toBe('signed-out')
    expect([...steps, ...endings]).toEqual(['opened', 'asked'])
  })

  it('does not open again when a late call asks for a refresh after the log-out (SES12)', async () => {
    await session.begin({ token: makeToken() })
    await session.logOut()
    expect(await session.refresh()).toBe(false)
    expect(session.state().kind).toBe('signed-out')
    expect(requests.map(({ url }) => url)).toEqual(['/api/v1/refresh-token/logout'])
  })

  it.each([403, 429])('stays when the refresh is answered with %i, and retries (S84)', async status => {
    await session.begin({ token: makeToken() })
    installFakeFetch(() => ({ status, json: { statusCode: status } }))
    await device.advance(450_000)
    expect(session.state().kind).toBe('signed-in')
    let renewals = 0
    installFakeFetch(() => ((renewals += 1), { json: { data: { token: makeToken() } } }))
    await device.advance(60_000)
    expect(renewals).toBe(1)
  })

  it('begins although the store cannot be unlocked', async () => {
    const withoutStore = openTab(device, { onOpen: () => Promise.reject(new Error('no storage')) })
    expect(await withoutStore.begin({ token: makeToken(), draftKey: 'secret' })).toBe(true)
    expect(withoutStore.state().kind).toBe('signed-in')
  })

  it('ends when the applicant logs out in another tab (S85)', async () => {
    await session.begin({ token: makeToken() })
    device.receiveBroadcast({ kind: 'logged-out' })
    expect(endings).toEqual(['asked'])
  })

  describe('in a tab that hears of the log-out only after the next applicant has signed in (D31)', () => {
    it('ends without clearing the device, and leaves the flag and the last activity', async () => {
      const { other, message } = await logOutInOneOfTwoTabs()
      await signInElsewhere('ap-2')
      const saved = () => ['session', 'session-id', 'activity'].map(key => device.readText(key))
      const before = saved()
      expect(before).not.toContain(undefined)
      expect(other.state().kind).toBe('signed-in')
      device.receiveBroadcast(message)
      expect(other.state().kind).toBe('signed-out')
      expect(endings).toEqual(['replaced'])
      expect(saved()).toEqual(before)
    })
  })

  describe('in a page that comes back from the back-forward cache (D31)', () => {
    it('ends when another tab has logged out', async () => {
      const { other } = await logOutInOneOfTwoTabs()
      expect(other.state().kind).toBe('signed-in')
      device.goBack()
      expect(other.state().kind).toBe('signed-out')
      expect(endings).toEqual(['asked'])
    })

    it('ends on a shared device without clearing it, because the other tab may have kept drafts', async () => {
      use = { kind: 'shared' }
      await session.begin({ token: makeToken() })
      // As another tab does when it ends the session.
      device.saveText('session-id', undefined)
      device.goBack()
      expect(session.state().kind).toBe('signed-out')
      expect(endings).toEqual(['replaced'])
    })

    it('ends without clearing the device of the next applicant', async () => {
      const { other } = await logOutInOneOfTwoTabs()
      await signInElsewhere('ap-2')
      device.goBack()
      expect(other.state().kind).toBe('signed-out')
      expect(endings).toEqual(['replaced'])
      expect(device.readText('session')).toBe('1')
    })

    it('ends, and leaves the session of the next applicant, when it began in an older release and has no id', async () => {
      device.saveText('session', '1')
      const restored = openTab(device)
      expect((await restored.ready()).kind).toBe('signed-in')
      await signInElsewhere('ap-2')
      device.goBack()
      expect(restored.state().kind).toBe('signed-out')
      expect(device.readText('session')).toBe('1')
      expect(device.readText('session-id')).toBeDefined()
    })

    it('continues when no other page has ended it, also where the browser refuses storage', async () => {
      await session.begin({ token: makeToken() })
      device.goBack()
      expect(session.state().kind).toBe('signed-in')
      const forgetful = { ...createFakeDevice(), saveText: () => undefined, readText: () => undefined }
      const withoutStorage = openTab(forgetful)
      await withoutStorage.begin({ token: makeToken() })
      forgetful.goBack()
      expect(withoutStorage.state().kind).toBe('signed-in')
      expect(endings).toEqual([])
    })
  })

  it.each([
    ['the same applicant', makeToken(), 'asked'],
    // This reason does not clear the device: it has the drafts of the next applicant.
    ['the next applicant', makeToken({ applicantId: 'ap-2' }), 'refused'],
  ])('of %s ends when a tab with an older session logs out (S85, D31)', async (_, token, ending) => {
    const { message } = await logOutInOneOfTwoTabs()
    const newest = openTab(device)
    await newest.begin({ token })
    endings = []
    device.receiveBroadcast(message)
    expect(newest.state().kind).toBe('signed-out')
    expect(endings).toContain(ending)
  })

  it('ends in the other tab too, although the applicant has confirmed a second contact in the first (S85)', async () => {
    await session.begin({ token: makeToken() })
    const other = openTab(device)
    await other.ready()
    await session.takeToken({ token: makeToken() })
    await session.logOut()
    const [message] = device.broadcasts
    endings = []
    if (message) device.receiveBroadcast(message)
    expect(endings).toEqual(['asked'])
  })

  describe('that takes the token after a change of the account', () => {
    it.each([
      ['keeps the open store with the same keys', 'secret', 1],
      ['unlocks the store with other keys', 'other', 2],
    ])('%s (D110)', async (_, draftKey, count) => {
      const onOpen = vi.fn(async () => {})
      const opened = openTab(device, { onOpen })
      await opened.begin({ token: makeToken(), draftKey: 'secret' })
      expect(await opened.takeToken({ token: makeToken(), draftKey })).toBe(true)
      expect(onOpen).toHaveBeenCalledTimes(count)
    })

    it('stays the session that it was when another applicant has signed in in another tab (D31)', async () => {
      await session.begin({ token: makeToken() })
      const id = session.id()
      await signInElsewhere('ap-2')
      expect(await session.takeToken({ token: makeToken() })).toBe(true)
      expect(session.id()).toBe(id)
    })

    it('does not open again after a log-out', async () => {
      await session.begin({ token: makeToken() })
      await session.logOut()
      expect(await session.takeToken({ token: makeToken() })).toBe(false)
      expect(session.state().kind).toBe('signed-out')
    })
  })

  it('ends as refused, not as logged out, when another applicant logs out with the same session id (D31)', async () => {
    await session.begin({ token: makeToken() })
    const sessionId = device.readText('session-id')
    device.receiveBroadcast({ kind: 'logged-out', sessionId, applicantId: 'ap-2' })
    expect(endings).toEqual(['refused'])
  })

  it('ends for inactivity in the other tab when one tab logs out for inactivity (S85)', async () => {
    await session.begin({ token: makeToken() })
    const second = createFakeDevice()
    for (const key of ['session', 'session-id', 'activity']) second.saveText(key, device.readText(key))
    await openTab(second).ready()
    await session.logOut('inactivity')
    const [message] = device.broadcasts
    endings = []
    if (message) second.receiveBroadcast(message)
    expect(endings).toEqual(['inactivity'])
  })

  it('does not end as logged out when another applicant logs out while it opens (D31)', async () => {
    let unlocked = doNothing
    const opening = openTab(device, { onOpen: () => new Promise(resolve => (unlocked = resolve)) })
    device.saveText('session-id', 'session of ap-2')
    const beginning = opening.begin({ token: makeToken() })
    await eventually(() => expect(unlocked).not.toBe(doNothing))
    device.receiveBroadcast({
      kind: 'logged-out',
      sessionId: 'session of ap-2',
      applicantId: 'ap-2',
    })
    unlocked()
    await beginning
    await eventually(() => expect(endings).not.toEqual([]))
    expect(endings).not.toContain('asked')
  })

  it('stays signed out when the applicant logs out in another tab during the start (S85)', async () => {
    await session.begin({ token: makeToken() })
    const answer = holdRequests()
    const reloaded = openTab(device)
    const starting = reloaded.ready()
    device.receiveBroadcast({ kind: 'logged-out' })
    answer()
    expect((await starting).kind).toBe('signed-out')
    expect(reloaded.token()).toBeUndefined()
  })

  it('of another applicant on this page opens also when the store fails at the end of the earlier one (S50)', async () => {
    const page = openTab(device, { onEnd: () => Promise.reject(new Error('no storage')) })
    await page.begin({ token: makeToken() })
    expect(await page.begin({ token: makeToken({ applicantId: 'other' }) })).toBe(true)
    expect(page.signedInId()).toBe('other')
  })

  it('ends when the refresh returns a token of another applicant, who signed in in another tab (SES06)', async () => {
    await session.begin({ token: makeToken() })
    installFakeFetch(() => ({ json: { data: { token: makeToken({ applicantId: 'ap-2' }) } } }))
    await device.advance(450_000)
    expect(session.state().kind).toBe('signed-out')
    expect(session.token()).toBeUndefined()
    expect(endings).toEqual(['refused'])
  })

  it('asks for no deletion of rows when the deleted account is that of another applicant, who signed in in another tab (D112)', async () => {
    await session.begin({ token: makeToken() })
    await signInElsewhere('ap-2')
    answerDeleted()
    await device.advance(450_000)
    expect(endings).toEqual(['refused'])
    expect(device.readText(pendingEraseKey)).toBeUndefined()
  })

  it('ends as deleted when the applicant has deleted the account on another device (D112)', async () => {
    await session.begin({ token: makeToken() })
    answerDeleted()
    await device.advance(450_000)
    expect(endings).toEqual(['account-deleted'])
  })

  it('saves the id of the session of a deleted account before it removes the flag, so that a later page can erase the rows (D112)', async () => {
    await session.begin({ token: makeToken() })
    const id = session.id()
    const saveText = device.saveText.bind(device)
    const flags: (string | undefined)[] = []
    device.saveText = (key, text) => {
      if (key === pendingEraseKey) flags.push(device.readText('session'))
      saveText(key, text)
    }
    answerDeleted()
    await device.advance(450_000)
    expect(flags).toEqual(['1'])
    expect(id).toBeDefined()
    expect(device.readText(pendingEraseKey)).toBe(id)
    expect(device.readText('session')).toBeUndefined()
  })

  it('keeps the applicants that are still to be erased when an account is deleted (D31, D112)', async () => {
    device.saveText(pendingEraseKey, 'applicant ap-2')
    await session.begin({ token: makeToken() })
    answerDeleted()
    await device.advance(450_000)
    expect(device.readText(pendingEraseKey)).toBe(`applicant ap-2\n${session.id()}`)
  })

  it('asks for no deletion of rows when the server only refuses the session (D112)', async () => {
    await session.begin({ token: makeToken() })
    refresh = 'refused'
    await device.advance(450_000)
    expect(endings).toEqual(['refused'])
    expect(device.readText(pendingEraseKey)).toBeUndefined()
  })

  it('unlocks the store for the next applicant only after it was locked for the previous one', async () => {
    const steps: string[] = []
    let close = doNothing
    const slow = openTab(device, {
      onOpen: async () => void steps.push('opened'),
      async onEnd() {
        await new Promise<void>(resolve => (close = resolve))
        steps.push('closed')
      },
    })
    await slow.begin({ token: makeToken() })
    const leaving = slow.logOut()
    await expect.poll(() => slow.state().kind).toBe('signed-out')
    const beginning = slow.begin({ token: makeToken({ applicantId: 'ap-2' }) })
    close()
    await Promise.all([leaving, beginning])
    expect(steps).toEqual(['opened', 'closed', 'opened'])
    expect(slow.state()).toMatchObject({ kind: 'signed-in', claims: { applicantId: 'ap-2' } })
  })
})

describe('a start without the server (D23)', () => {
  beforeEach(async () => {
    await session.begin({ token: makeToken({ inactivity: 900 }) })
  })

  it('opens the session of the last applicant, which has no token yet', async () => {
    refresh = 'no connection'
    const restarted = openTab(device)
    expect(await restarted.ready()).toMatchObject({ kind: 'signed-in', claims: { applicantId: 'ap-1' } })
    expect(restarted.token()).toBeUndefined()
  })

  it('opens after 3 s when the server does not answer', async () => {
    refresh = 'hangs'
    const restarted = openTab(device)
    const opening = restarted.ready()
    await device.advance(3_000)
    expect((await opening).kind).toBe('signed-in')
  })

  it('gets a token when the connection is back (S96)', async () => {
    refresh = 'no connection'
    const restarted = openTab(device)
    await restarted.ready()
    refresh = 'renewed'
    device.setOnline(true)
    await expect.poll(() => restarted.token()).toBeDefined()
  })

  it('opens only before the inactivity deadline', async () => {
    refresh = 'no connection'
    device.sleep(899_000)
    expect((await openTab(device).ready()).kind).toBe('signed-in')
    device.sleep(2_000)
    expect((await openTab(device).ready()).kind).toBe('signed-out')
    expect(endings).toEqual(['inactivity'])
  })

  it('opens within 15 minutes of the last activity when the limit of the token is 0, which means none (SES07)', async () => {
    await session.begin({ token: makeToken({ inactivity: 0 }) })
    expect(session.inactivity()).toBeUndefined()
    refresh = 'no connection'
    device.sleep(899_000)
    expect((await openTab(device).ready()).kind).toBe('signed-in')
    device.sleep(2_000)
    expect((await openTab(device).ready()).kind).toBe('signed-out')
  })

  it.each(['', 'not a time', 'NaN', 'Infinity'])(
    'does not open when the saved time of the last activity is damaged: %j (SES11)',
    async damaged => {
      refresh = 'no connection'
      device.saveText('activity', damaged)
      expect((await openTab(device).ready()).kind).toBe('signed-out')
      expect(endings).toEqual(['inactivity'])
    },
  )

  it('continues the session when a slow storage returns its texts only after the start of the page (D64)', async () => {
    refresh = 'no connection'
    const afterPowerCut = createFakeDevice()
    const restarted = openTab(afterPowerCut)
    expect((await restarted.ready()).kind).toBe('signed-out')
    for (const key of durableKeys) afterPowerCut.saveText(key, device.readText(key))
    expect((await restarted.ready()).kind).toBe('signed-in')
    // The store gives its encryption key only to the session that saved the key.
    expect(restarted.id()).toBe(session.id())
  })

  it('stays signed out after a log-out, although claims are cached', async () => {
    await session.logOut()
    refresh = 'no connection'
    expect((await openTab(device).ready()).kind).toBe('signed-out')
  })

  it('waits longer than 3 s for the server when no claims are cached', async () => {
    cachedClaims = undefined
    const answer = holdRequests()
    let state: string | undefined
    const starting = openTab(device)
      .ready()
      .then(({ kind }) => (state = kind))
    await device.advance(20_000)
    expect(state).toBeUndefined()
    answer()
    expect(await starting).toBe('signed-in')
  })

  it('stays signed out when no claims are cached and the server refuses the session', async () => {
    cachedClaims = undefined
    refresh = 'refused'
    expect((await openTab(device).ready()).kind).toBe('signed-out')
  })
})

describe('a session on a shared device (D31)', () => {
  beforeEach(async () => {
    use = { kind: 'shared' }
    await session.begin({ token: makeToken({ inactivity: 900 }) })
  })

  it('calls the hook that sends unsent drafts once, while it still has a token', async () => {
    await session.logOut()
    expect(draftSends.map(({ token }) => token)).toEqual([expect.any(String)])
    expect(endings).toEqual(['asked'])
  })

  it('waits at most 5 s for the drafts, and ends once', async () => {
    draftsSent = new Promise(() => {})
    const leaving = session.logOut()
    void session.logOut('inactivity')
    expect(session.logoutStep()).toBe('sending')
    await expect.poll(() => draftSends).toHaveLength(1)
    await device.advance(4_900)
    expect(endings).toEqual([])
    await device.advance(200)
    await leaving
    expect(endings).toEqual(['asked'])
    expect(draftSends).toHaveLength(1)
    expect(session.logoutStep()).toBe('none')
  })

  it('is restored after a reload of its tab, and in no other tab', async () => {
    device.leavePage()
    expect((await openTab(device).ready()).kind).toBe('signed-in')
    device.saveTabText('session', undefined) // another tab, or the browser's next start
    expect((await openTab(device).ready()).kind).toBe('signed-out')
  })
})

describe('a log-out that the server has not confirmed (SES12, S80)', () => {
  beforeEach(async () => {
    await session.begin({ token: makeToken() })
  })

  it.each(['no connection', 'unavailable'] as const)(
    'is retried until the server confirms it: %s',
    async how => {
      logOut = how
      await session.logOut()
      expect(session.state().kind).toBe('signed-out')
      await expectRetriesUntilConfirmed()
    },
  )

  it('is retried as soon as the connection is back', async () => {
    logOut = 'no connection'
    await session.logOut()
    logOut = 'confirmed'
    device.setOnline(true)
    await expect.poll(() => logOuts()).toBe(2)
  })

  it('is sent by the next start, which does not restore the session from its cookie', async () => {
    logOut = 'no connection'
    await session.logOut()
    // The browser restores the tab storage of a tab that it reopens.
    device.saveTabText('session', '1')
    const restarted = openTab(device)
    expect((await restarted.ready()).kind).toBe('signed-out')
    await expect.poll(() => logOuts()).toBe(2)
    expect(requests.some(({ url }) => url.endsWith('/refresh-token'))).toBe(false)
  })

  it('is not retried after another applicant has signed in, and leaves that session open', async () => {
    logOut = 'hangs'
    void session.logOut()
    await expect.poll(() => logOuts()).toBe(1)
    const release = session.holdForSignIn()
    expect(await session.begin({ token: makeToken({ applicantId: 'ap-2' }) })).toBe(true)
    release()
    const before = logOuts()
    await device.advance(60_000)
    expect(logOuts()).toBe(before)
    expect(session.state()).toMatchObject({ kind: 'signed-in', claims: { applicantId: 'ap-2' } })
  })

  it('is not sent during a sign-in, because the answer to the log-out would delete the new cookie', async () => {
    logOut = 'no connection'
    await session.logOut()
    const before = logOuts()
    const release = session.holdForSignIn()
    await device.advance(29_000)
    device.setOnline(true)
    await device.advance(0)
    expect(logOuts()).toBe(before)
    // The sign-in has failed: the server refused the code.
    release()
    await device.advance(15_000)
    expect(logOuts()).toBe(before + 1)
  })

  it('is aborted when another tab signs in, and waits for the end of that sign-in', async () => {
    logOut = 'hangs'
    void session.logOut()
    await expect.poll(() => logOuts()).toBe(1)
    const other = openTab({ ...device, broadcast: message => device.receiveBroadcast(message) })
    // Its start repeats the log-out.
    await expect.poll(() => logOuts()).toBe(2)
    const release = other.holdForSignIn()
    const isAborted = requests
      .filter(({ url }) => url.endsWith('/logout'))
      .map(({ signal }) => signal?.aborted)
    expect(isAborted).toEqual([true, true])
    await device.advance(60_000)
    device.setOnline(true)
    await device.advance(0)
    expect(logOuts()).toBe(2)
    // The sign-in has failed: the cookie is still that of the session that was left.
    release()
    logOut = 'confirmed'
    await device.advance(30_000)
    expect(logOuts()).toBeGreaterThan(2)
  })

  it('is aborted when it began during a sign-in of another tab that has succeeded', async () => {
    const other = openTab({ ...device, broadcast: message => device.receiveBroadcast(message) })
    const release = other.holdForSignIn()
    logOut = 'hangs'
    void session.logOut()
    await expect.poll(() => logOuts()).toBe(1)
    expect(await other.begin({ token: makeToken({ applicantId: 'ap-2' }) })).toBe(true)
    release()
    expect(requests.find(({ url }) => url.endsWith('/logout'))?.signal?.aborted).toBe(true)
    await device.advance(60_000)
    expect(logOuts()).toBe(1)
  })

  it('is not sent by a page that starts while another tab signs in', async () => {
    logOut = 'no connection'
    await session.logOut()
    const before = logOuts()
    const release = session.holdForSignIn()
    openTab(device)
    await device.advance(60_000)
    expect(logOuts()).toBe(before)
    expect(await session.begin({ token: makeToken({ applicantId: 'ap-2' }) })).toBe(true)
    release()
    await device.advance(60_000)
    expect(logOuts()).toBe(before)
  })

  it('is also sent when a start finds that the session has timed out offline', async () => {
    await session.begin({ token: makeToken({ inactivity: 900 }) })
    refresh = 'no connection'
    logOut = 'no connection'
    device.sleep(901_000)
    const restarted = openTab(device)
    expect((await restarted.ready()).kind).toBe('signed-out')
    logOut = 'confirmed'
    await device.advance(15_000)
    expect(logOuts()).toBe(2)
  })
})

describe('unsent drafts at a log-out from a shared device (D31)', () => {
  let leaving: Promise<void>

  beforeEach(async () => {
    use = { kind: 'shared' }
    hasUnsentDrafts = true
    await session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
    leaving = session.logOut()
    await expect.poll(() => session.logoutStep()).toBe('asking')
    expect(endings).toEqual([])
  })

  it('stay when the applicant cancels the log-out', async () => {
    session.answerLogout(false)
    await leaving
    expect([session.logoutStep(), session.state().kind, endings]).toEqual(['none', 'signed-in', []])
    expect(requests).toEqual([])
    hasUnsentDrafts = false
    await session.logOut()
    expect(endings).toEqual(['asked'])
  })

  it('are not locked when the applicant confirms, and the request lets the server delete them', async () => {
    session.answerLogout(true)
    await leaving
    expect([endings, hasLockedDrafts]).toEqual([['asked'], false])
    expect(letsServerDeleteAll()).toBe(true)
  })

  it('are locked when the session times out during the question', async () => {
    await session.logOut('inactivity')
    await leaving
    expect([endings, hasLockedDrafts]).toEqual([['locked'], true])
    expect(session.state().kind).toBe('signed-out')
  })
})

describe('a session that times out during the question about drafts that would be lost (SES11, D31)', () => {
  it.each([
    ['the drafts were sent since', { draftKey: 'secret' }],
    ['the sign-in had no draft key, which could unlock them', {}],
  ])('ends for inactivity when it locks nothing: %s', async (_, keys) => {
    use = { kind: 'shared' }
    hasUnsentDrafts = true
    await session.begin({ token: makeToken({ inactivity: 900 }), ...keys })
    const leaving = session.logOut()
    await expect.poll(() => session.logoutStep()).toBe('asking')
    hasUnsentDrafts = !('draftKey' in keys)
    await session.logOut('inactivity')
    await leaving
    expect([endings, hasLockedDrafts]).toEqual([['inactivity'], false])
  })
})

it.each([
  ['inactivity', true],
  ['asked', undefined],
] as const)(
  'a question about drafts that would be lost ends once when another tab logs out: %s (S85)',
  async (reason, isInactivity) => {
    use = { kind: 'shared' }
    hasUnsentDrafts = true
    await session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
    const leaving = session.logOut()
    await expect.poll(() => session.logoutStep()).toBe('asking')
    device.receiveBroadcast({ kind: 'logged-out', isInactivity })
    await leaving
    expect([endings, logOuts(), session.logoutStep()]).toEqual([[reason], 0, 'none'])
  },
)

describe('the end of a session on a shared device, for drafts that could not be sent (D31)', () => {
  beforeEach(async () => {
    use = { kind: 'shared' }
    await session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
  })

  it.each([
    ['locks unsent drafts after inactivity', 'inactivity', { unsent: true, others: false }, 'locked'],
    ['locks nothing when all drafts were sent', 'inactivity', { unsent: false, others: false }, 'inactivity'],
    [
      'keeps the locked drafts of other applicants at a log-out that the applicant asked for',
      'asked',
      { unsent: false, others: true },
      'asked',
    ],
  ] as const)('%s', async (_, reason, { unsent, others }, ending) => {
    hasUnsentDrafts = unsent
    hasLockedDrafts = others
    await session.logOut(reason)
    expect([endings, hasLockedDrafts]).toEqual([[ending], unsent || others])
    expect(letsServerDeleteAll()).toBe(!unsent && !others)
  })

  it('locks no drafts after inactivity when the sign-in had no draft key, which could unlock them (D67)', async () => {
    await session.begin({ token: makeToken({ inactivity: 900 }) })
    hasUnsentDrafts = true
    expect(session.canLockDrafts()).toBe(false)
    await session.logOut('inactivity')
    expect([endings, hasLockedDrafts]).toEqual([['inactivity'], false])
  })
})

describe('the other tab of a shared device after inactivity with unsent drafts (D31)', () => {
  let second: FakeDevice
  let other: Session

  beforeEach(async () => {
    use = { kind: 'shared' }
    hasUnsentDrafts = true
    await session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
    second = createFakeDevice()
    second.saveText('session-id', device.readText('session-id'))
    // The browser has copied the tab while its page was hidden: the flag counts in the copy too.
    second.saveTabText('session', '1')
    second.saveTabText('left', '1')
    other = openTab(second)
    await other.ready()
  })

  async function endByInactivity() {
    await session.logOut('inactivity')
    const [message] = device.broadcasts
    endings = []
    if (message) second.receiveBroadcast(message)
  }

  it('ends as locked too, so that it says that answers stay locked', async () => {
    await endByInactivity()
    expect(endings).toEqual(['locked'])
  })

  it('ends once when it was asking whether to lose them', async () => {
    const leaving = other.logOut()
    await expect.poll(() => other.logoutStep()).toBe('asking')
    await endByInactivity()
    await leaving
    expect(endings).toEqual(['locked'])
    expect(other.state().kind).toBe('signed-out')
  })
})

describe('another tab of a shared device that logs out at the same moment (D31, S85)', () => {
  it.each([
    ['inactivity', { isInactivity: true }],
    ['asked', {}],
  ] as const)('ends once, for the reason of the first tab: %s', async (reason, facts) => {
    use = { kind: 'shared' }
    await session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
    let sent = doNothing
    draftsSent = new Promise(resolve => (sent = resolve))
    const leaving = session.logOut(reason)
    await expect.poll(() => draftSends.length).toBe(1)
    device.receiveBroadcast({ kind: 'logged-out', ...facts })
    // The key of the drafts is gone, so this page cannot read them.
    hasUnsentDrafts = true
    sent()
    await expect.poll(() => session.logoutStep()).toBe('none')
    await leaving
    expect([endings, logOuts(), hasLockedDrafts]).toEqual([[reason], 0, false])
  })
})

it.each(['finishes writes', 'sends the drafts'])(
  'a log-out also ends the session in the other tabs when the server refuses the session while the log-out %s (D31, S85)',
  async step => {
    use = { kind: 'shared' }
    await session.begin({ token: makeToken() })
    const sessionId = session.id()
    let finish = doNothing
    const finished = new Promise<void>(resolve => (finish = resolve))
    if (step === 'finishes writes') writesFinished = finished
    else draftsSent = finished
    const leaving = session.logOut()
    await expect.poll(() => (step === 'finishes writes' ? finishedWith : draftSends).length).toBe(1)
    refresh = 'refused'
    await session.refresh()
    expect(endings).toEqual(['refused'])
    // The key of the drafts is gone, so this page cannot read them.
    hasUnsentDrafts = true
    finish()
    await expect.poll(() => session.logoutStep()).toBe('none')
    await leaving
    const broadcast = { kind: 'logged-out', sessionId, lock: 'lock-failed' }
    expect(device.broadcasts, 'they delete no unsent draft').toEqual([expect.objectContaining(broadcast)])
    expect(endings).toEqual(['refused'])
  },
)

it('a log-out whose session the server refuses does not end the session that another tab has begun since (D31)', async () => {
  await session.begin({ token: makeToken({ applicantId: 'ada' }) })
  const finish = holdWrites()
  const leaving = session.logOut()
  await expect.poll(() => finishedWith.length).toBe(1)
  refresh = 'refused'
  await session.refresh()
  await signInElsewhere('ben')
  finish()
  await leaving
  expect(device.broadcasts).toEqual([])
})

it('a log-out during which the next applicant signs in on this page sends no broadcast to the other tabs (D31)', async () => {
  await session.begin({ token: makeToken({ applicantId: 'ada' }) })
  const finish = holdWrites()
  const leaving = session.logOut()
  await expect.poll(() => finishedWith.length).toBe(1)
  await session.begin({ token: makeToken({ applicantId: 'ben' }) })
  finish()
  await leaving
  expect([session.signedInId(), device.broadcasts]).toEqual(['ben', []])
})

it('erases the rows of a deleted account also when another tab logs out at the same moment (D112, S85)', async () => {
  await session.begin({ token: makeToken() })
  const sessionId = session.id()
  const finish = holdWrites()
  const leaving = session.logOut('account-deleted')
  await expect.poll(() => finishedWith.length).toBe(1)
  device.receiveBroadcast({ kind: 'logged-out', sessionId })
  expect(endings).toEqual(['asked'])
  expect(device.readText(pendingEraseKey), 'so the row of the key stays, which names the applicant').toBe(
    sessionId,
  )
  finish()
  await leaving
  expect(device.readText(pendingEraseKey)).toBe(sessionId)
})

it.each([
  ['finishes writes on an own device', 'own', false],
  ['sends the unsent drafts of a shared device', 'shared', false],
  ['asks about the unsent drafts of a shared device', 'shared', true],
] as const)(
  'erases the rows of an account whose deletion is answered while the log-out %s (D112)',
  async (_, kind, isAsking) => {
    use = { kind }
    hasUnsentDrafts = kind === 'shared'
    await session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
    const sessionId = session.id()
    let finish = doNothing
    const finished = new Promise<void>(resolve => (finish = resolve))
    if (kind === 'own') writesFinished = finished
    else if (!isAsking) draftsSent = finished
    const leaving = session.logOut()
    if (isAsking) await expect.poll(() => session.logoutStep()).toBe('asking')
    else await expect.poll(() => (kind === 'own' ? finishedWith : draftSends).length).toBe(1)
    const deleted = session.logOut('account-deleted')
    expect(device.readText(pendingEraseKey)).toBe(sessionId)
    finish()
    await eventually(() => expect(session.state().kind).toBe('signed-out'))
    await Promise.all([leaving, deleted])
    expect(endings).toEqual(['account-deleted'])
    expect(device.broadcasts).toEqual([expect.objectContaining({ kind: 'logged-out', isDeleted: true })])
    expect(hasLockedDrafts).toBe(false)
  },
)

it.each(['unsent', 'others'] as const)(
  'erases the rows of an account whose deletion is answered while a log-out by inactivity locks drafts on a shared device: %s (D112)',
  async whose => {
    use = { kind: 'shared' }
    hasUnsentDrafts = true
    await session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
    let finish = doNothing
    const finished = new Promise<void>(resolve => (finish = resolve))
    if (whose === 'unsent') unsentLocked = finished
    else othersLocked = finished
    const leaving = session.logOut('inactivity')
    await expect.poll(() => locks.at(-1)).toBe(whose)
    const deleted = session.logOut('account-deleted')
    finish()
    await eventually(() => expect(session.state().kind).toBe('signed-out'))
    await Promise.all([leaving, deleted])
    expect(endings).toEqual(['account-deleted'])
    expect(device.broadcasts).toEqual([expect.objectContaining({ kind: 'logged-out', isDeleted: true })])
    expect(device.broadcasts[0]).toMatchObject({ lock: undefined })
    expect(device.readText(pendingEraseKey)).toBe(session.id())
  },
)

it('keeps the unsent drafts when the server refuses the session while a log-out by inactivity locks them (D31)', async () => {
  use = { kind: 'shared' }
  hasUnsentDrafts = true
  await session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
  let finish = doNothing
  unsentLocked = new Promise<void>(resolve => (finish = resolve))
  const leaving = session.logOut('inactivity')
  await expect.poll(() => locks).toEqual(['unsent'])
  refresh = 'refused'
  await session.refresh()
  expect(endings).toEqual(['refused'])
  finish()
  await leaving
  expect(endings, 'an end by inactivity would delete the drafts').toEqual(['refused'])
  expect(device.broadcasts).toEqual([expect.objectContaining({ kind: 'logged-out', lock: 'lock-failed' })])
})

it('tells the other tabs that the account is deleted when a refresh learns it during a log-out (D112)', async () => {
  await session.begin({ token: makeToken() })
  const finish = holdWrites()
  const leaving = session.logOut()
  await expect.poll(() => finishedWith.length).toBe(1)
  answerDeleted()
  await session.refresh()
  finish()
  await leaving
  expect(endings).toEqual(['account-deleted'])
  expect(device.broadcasts).toEqual([expect.objectContaining({ kind: 'logged-out', isDeleted: true })])
})

it('closes the question about the drafts when the server refuses the session (D31)', async () => {
  use = { kind: 'shared' }
  hasUnsentDrafts = true
  await session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
  const leaving = session.logOut()
  await expect.poll(() => session.logoutStep()).toBe('asking')
  refresh = 'refused'
  await session.refresh()
  await expect.poll(() => session.logoutStep()).toBe('none')
  session.answerLogout(true)
  await leaving
  expect(endings, 'the next person could wipe the device').toEqual(['refused'])
})

it('opens no question about the drafts of a session that the server has refused (D31)', async () => {
  use = { kind: 'shared' }
  hasUnsentDrafts = true
  await session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
  let find = doNothing
  unsentFound = new Promise<void>(resolve => (find = resolve))
  const leaving = session.logOut()
  await expect.poll(() => finds).toBe(1)
  refresh = 'refused'
  await session.refresh()
  const steps: string[] = []
  session.subscribe(() => void steps.push(session.logoutStep()))
  find()
  await expect.poll(() => steps.length).toBeGreaterThan(0)
  expect(steps).toEqual(['none'])
  await leaving
  expect(endings).toEqual(['refused'])
})

it('ends once when the server tells of the deletion of the account during the question about drafts (D112)', async () => {
  use = { kind: 'shared' }
  hasUnsentDrafts = true
  await session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
  const leaving = session.logOut()
  await expect.poll(() => session.logoutStep()).toBe('asking')
  answerDeleted()
  await session.refresh()
  await leaving
  expect([endings, session.logoutStep()]).toEqual([['account-deleted'], 'none'])
  expect(device.broadcasts).toEqual([expect.objectContaining({ kind: 'logged-out', isDeleted: true })])
})

it('can lock drafts also after a refresh without a draft key, which has not changed it (D31)', async () => {
  use = { kind: 'shared' }
  await session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
  expect(await session.refresh()).toBe(true)
  expect(session.canLockDrafts()).toBe(true)
  hasUnsentDrafts = true
  await session.logOut('inactivity')
  expect([endings, hasLockedDrafts]).toEqual([['locked'], true])
  await session.begin({ token: makeToken({ inactivity: 900 }) })
  expect(session.canLockDrafts()).toBe(false)
})

it('a refresh that waited for another tab says nothing about the session of the next applicant (D31)', async () => {
  let release = doNothing
  const released = new Promise<void>(resolve => (release = resolve))
  const tab: FakeDevice = {
    ...device,
    async withLock(name, run) {
      if (name === 'refresh-token') await released
      return run()
    },
  }
  const waiting = openTab(tab)
  await waiting.begin({ token: makeToken({ applicantId: 'ada' }) })
  const refreshed = waiting.refresh()
  await waiting.logOut()
  await waiting.begin({ token: makeToken({ applicantId: 'ben' }) })
  release()
  expect(await refreshed).toBe(false)
  expect(waiting.signedInId()).toBe('ben')
})

/** The log-out waits for its writes. Returns the function that ends the wait. */
function holdWrites(): () => void {
  let finish = doNothing
  writesFinished = new Promise(resolve => (finish = resolve))
  return finish
}

/** How many refreshes were sent. */
const refreshes = () => requests.filter(({ url }) => url.endsWith('/refresh-token')).length

describe('a refresh at the same time as a sign-in, whose new cookie its answer would replace or delete (S85)', () => {
  it.each([
    ['in another tab', () => device.receiveBroadcast({ kind: 'signing-in' })],
    ['in this tab', () => void session.holdForSignIn()],
  ])('is aborted: %s', async (_, signIn) => {
    await session.begin({ token: makeToken() })
    refresh = 'hangs'
    const refreshed = session.refresh()
    await expect.poll(refreshes).toBe(1)
    signIn()
    expect(await refreshed).toMatchObject({ kind: 'unreachable' })
    expect(session.state().kind).toBe('signed-in')
  })

  it('is not sent when the sign-in begins while the refresh asks whether a tab signs in', async () => {
    await session.begin({ token: makeToken() })
    let answer: (isHeld: boolean) => void = doNothing
    device.isLockHeld = () => new Promise(resolve => (answer = resolve))
    const refreshed = session.refresh()
    await expect.poll(() => answer).not.toBe(doNothing)
    session.holdForSignIn()
    // The browser has answered before it granted the lock.
    answer(false)
    expect(await refreshed).toMatchObject({ kind: 'unreachable' })
    expect(refreshes()).toBe(0)
  })

  it('is sent only after the sign-in', async () => {
    await session.begin({ token: makeToken() })
    const release = session.holdForSignIn()
    expect(await session.refresh()).toMatchObject({ kind: 'unreachable' })
    expect(refreshes()).toBe(0)
    release()
    await device.advance(4_000)
    expect(refreshes()).toBe(1)
  })
})

describe('a session on a kiosk (D38)', () => {
  beforeEach(() => {
    use = { kind: 'kiosk', officeId: '12' }
  })

  it.each([
    ['has a longer limit', 900],
    ['has no limit', undefined],
  ])('has expired after 120 s without activity when the token %s', async (_, inactivity) => {
    await session.begin({ token: makeToken({ inactivity }) })
    await device.advance(119_000)
    expect(session.inactivity()?.kind).toBe('warning')
    await device.advance(1_000)
    expect(session.inactivity()?.kind).toBe('expired')
  })

  it('has expired earlier when the token has a shorter limit', async () => {
    await session.begin({ token: makeToken({ inactivity: 90 }) })
    await device.advance(90_000)
    expect(session.inactivity()?.kind).toBe('expired')
  })
})

/** Lets each request wait until the returned function is called. */
function holdRequests(): () => void {
  let release = doNothing
  const released = new Promise<void>(resolve => (release = resolve))
  const fetchNow = fetch
  vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) => {
    await released
    return fetchNow(...request)
  })
  return () => release()
}

/**
 * Whether the log-out request asks for an answer that makes the browser delete all data of the portal. Without it the
 * device itself deletes the rows that are not locked. Undefined when no log-out was sent.
 */
function letsServerDeleteAll(): boolean | undefined {
  return requests.find(({ url }) => url.endsWith('/logout'))?.headers.has(sharedDeviceHeader)
}

/** After the first request of a log-out, while the server does not confirm it. */
async function expectRetriesUntilConfirmed(): Promise<void> {
  await device.advance(15_000)
  expect(logOuts()).toBe(2)
  logOut = 'confirmed'
  await device.advance(15_000)
  expect(logOuts()).toBe(3)
  await device.advance(60_000)
  expect(logOuts()).toBe(3)
}

function logOuts(): number {
  return requests.filter(({ url }) => url.endsWith('/logout')).length
}
