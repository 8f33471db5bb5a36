import { EventEmitter, once } from 'node:events'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCall, loadResponseReader } from '#api/client.ts'
import { createSession, type SessionEndReason, type Session } from '#session/session.ts'
import type { DeviceUse } from '#store/device-use.ts'
import { makeToken } from '#support/data/access-token.ts'
import type { TokenClaims } from '#contract/session.ts'
import { installFakeFetch, type FakeRequest } from '#support/providers/fake-fetch.ts'
import { createFakeDevice, type FakeDevice } from '#support/providers/fake-device.ts'

let device: FakeDevice
let session: Session
let endings: SessionEndReason[]
let use: DeviceUse
let logouts: { token: string | undefined; at: number }[]
let waitForLogoutTimeout: Promise<void>
let losing: boolean
let logOut: 'heard' | 'no line' | 'refused' | 'hangs'
let refresh: 'renewed' | 'refused' | 'no line' | 'hangs'
let asked: FakeRequest[]
let kept: TokenClaims | undefined

// A page that is alive has it.
beforeAll(loadResponseReader)

beforeEach(() => {
  device = createFakeDevice()
  endings = []
  use = { kind: 'own' }
  logouts = []
  waitForLogoutTimeout = Promise.resolve()
  losing = false
  logOut = 'heard'
  refresh = 'renewed'
  kept = undefined
  unlockCount = 0
  asked = installFakeFetch(({ url }) => {
    if (url.endsWith('/logout')) {
      if (logOut === 'no line' || logOut === 'hangs') return logOut
      return logOut === 'heard' ? {} : { status: 503, json: { statusCode: 503 } }
    }
    if (!url.endsWith('/refresh-token')) return {}
    if (refresh === 'no line') return 'no line'
    if (refresh === 'hangs') return 'hangs'
    if (refresh === 'refused') return { status: 401, json: { statusCode: 401, message: 'no' } }
    return { json: { data: { token: makeToken({ jti: asked.length }) } } }
  })
  session = openTab(device)
})

afterEach(() => {
  vi.unstubAllGlobals()
})

type SessionHooks = { onOpen?: () => Promise<void>; onEnd?: () => Promise<void> }

/** How often the store was unlocked with a new key. */
let unlockCount = 0

function openTab(tab: FakeDevice, { onOpen, onEnd }: SessionHooks = {}): Session {
  const call = createCall({
    device: tab,
    origin: '',
    token: () => opened.token(),
    refreshSession: () => opened.refresh(),
    onProblem: () => undefined,
    onReached: () => undefined,
  })
  const opened: Session = createSession({
    device: tab,
    call,
    async onOpen() {
      unlockCount += 1
      await onOpen?.()
    },
    writeCachedClaims: async claims => void (kept = claims),
    readCachedClaims: async () => kept,
    deviceUse: () => use,
    async beforeLogout() {
      logouts.push({ token: opened.token(), at: tab.now() })
      await waitForLogoutTimeout
    },
    hasUnsentDrafts: async () => losing,
    async onEnd(ending) {
      if (onEnd) await onEnd()
      endings.push(ending)
    },
  })
  return opened
}

describe('a session', () => {
  it('renews its token at half of its lifetime, and uses the new one from then on (SES04, SES05)', async () => {
    const first = makeToken()
    await session.begin({ token: first })
    await device.advance(449_000)
    expect(asked).toEqual([])
    await device.advance(2_000)
    expect(asked.map(({ url }) => url)).toEqual(['/api/v1/refresh-token'])
    expect(session.token()).not.toBe(first)
  })

  it('keeps the key of the store and caches the new claims when its token is refreshed (SES04, D31)', async () => {
    await session.begin({ token: makeToken(), draftKey: 'secret' })
    const claimsBefore = kept
    await device.advance(451_000)
    expect(asked).toHaveLength(1)
    expect(unlockCount).toBe(1)
    expect(kept).not.toBe(claimsBefore)
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

  it('ends when the renewal is refused (SES06)', async () => {
    await session.begin({ token: makeToken() })
    refresh = 'refused'
    await device.advance(450_000)
    expect(endings).toEqual(['refused'])
    expect(session.state().kind).toBe('signed-out')
  })

  it('stays when the line is down, and renews once it is back (S82)', async () => {
    await session.begin({ token: makeToken() })
    refresh = 'no line'
    await device.advance(450_000)
    expect(session.state().kind).toBe('signed-in')
    refresh = 'renewed'
    await device.advance(4_000)
    expect(session.state().kind).toBe('signed-in')
    expect(asked).toHaveLength(2)
  })

  it('is asked for anew after a reload, by its cookie (S81)', async () => {
    await session.begin({ token: makeToken() })
    const reloaded = openTab(device)
    expect(reloaded.token()).toBeUndefined()
    expect((await reloaded.ready()).kind).toBe('signed-in')
    expect(asked.map(({ headers }) => headers.get('authorization'))).toEqual([null])
  })

  it('is not asked for on a first visit', async () => {
    expect((await session.ready()).kind).toBe('signed-out')
    expect(asked).toEqual([])
  })

  it('ends at a log-out, told to the server and to the other tabs (SES12, S85)', async () => {
    await session.begin({ token: makeToken() })
    await session.logOut()
    expect(asked.map(({ url, method }) => `${method} ${url}`)).toEqual(['POST /api/v1/refresh-token/logout'])
    expect(device.broadcasts).toEqual([{ kind: 'logged-out' }])
    expect(endings).toEqual(['asked'])
    expect(session.token()).toBeUndefined()
  })

  it('stays ended when it is left while its renewal is under way (SES12, S80)', async () => {
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

  it('stays ended when it is left while a renewal opens the device (SES12, D31)', async () => {
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

  it('is not opened again by a call that was on its way when it was left (SES12)', async () => {
    await session.begin({ token: makeToken() })
    await session.logOut()
    expect(await session.refresh()).toBe(false)
    expect(session.state().kind).toBe('signed-out')
    expect(asked.map(({ url }) => url)).toEqual(['/api/v1/refresh-token/logout'])
  })

  it.each([403, 429])('stays when its renewal is answered with %i, and asks again (S84)', async status => {
    await session.begin({ token: makeToken() })
    installFakeFetch(() => ({ status, json: { statusCode: status } }))
    await device.advance(450_000)
    expect(session.state().kind).toBe('signed-in')
    let renewals = 0
    installFakeFetch(() => ((renewals += 1), { json: { data: { token: makeToken() } } }))
    await device.advance(60_000)
    expect(renewals).toBe(1)
  })

  it('begins although the browser keeps nothing', async () => {
    const forgetful = openTab(device, { onOpen: () => Promise.reject(new Error('no storage')) })
    expect(await forgetful.begin({ token: makeToken(), draftKey: 'secret' })).toBe(true)
    expect(forgetful.state().kind).toBe('signed-in')
  })

  it('ends when another tab was left (S85)', async () => {
    await session.begin({ token: makeToken() })
    device.receiveBroadcast({ kind: 'logged-out' })
    expect(endings).toEqual(['other-tab'])
  })

  it('is not opened by a start that was waiting while another tab was left (S85)', async () => {
    await session.begin({ token: makeToken() })
    let answer = nothing
    const answered = new Promise<void>(resolve => (answer = resolve))
    const fetchNow = fetch
    vi.stubGlobal('fetch', async (...request: Parameters<typeof fetch>) => {
      await answered
      return fetchNow(...request)
    })
    const reloaded = openTab(device)
    const starting = reloaded.ready()
    device.receiveBroadcast({ kind: 'logged-out' })
    answer()
    expect((await starting).kind).toBe('signed-out')
    expect(reloaded.token()).toBeUndefined()
  })

  it('never becomes another applicant’s who signed in beside it (SES06)', async () => {
    await session.begin({ token: makeToken() })
    installFakeFetch(() => ({ json: { data: { token: makeToken({ applicantId: 'ap-2' }) } } }))
    await device.advance(450_000)
    expect(session.state().kind).toBe('signed-out')
    expect(session.token()).toBeUndefined()
    expect(endings).toEqual(['refused'])
  })

  it('opens for the next applicant only once all is closed for the one before', async () => {
    const steps: string[] = []
    let close = nothing
    const slow = openTab(device, {
      onOpen: async () => void steps.push('opened'),
      async onEnd() {
        await new Promise<void>(resolve => (close = resolve))
        steps.push('closed')
      },
    })
    await slow.begin({ token: makeToken() })
    const leaving = slow.logOut()
    const beginning = slow.begin({ token: makeToken({ applicantId: 'ap-2' }) })
    close()
    await Promise.all([leaving, beginning])
    expect(steps).toEqual(['opened', 'closed', 'opened'])
    expect(slow.state()).toMatchObject({ kind: 'signed-in', claims: { applicantId: 'ap-2' } })
  })
})

describe('D23 a start without the line', () => {
  beforeEach(async () => {
    await session.begin({ token: makeToken({ inactivity: 900 }) })
  })

  it('opens for who was signed in, with nothing to send by', async () => {
    refresh = 'no line'
    const restarted = openTab(device)
    expect(await restarted.ready()).toMatchObject({ kind: 'signed-in', claims: { applicantId: 'ap-1' } })
    expect(restarted.token()).toBeUndefined()
  })

  it('does not wait for a line that hangs', async () => {
    refresh = 'hangs'
    const restarted = openTab(device)
    const opening = restarted.ready()
    await device.advance(3_000)
    expect((await opening).kind).toBe('signed-in')
  })

  it('can send again once the line is back, by itself (S96)', async () => {
    refresh = 'no line'
    const restarted = openTab(device)
    await restarted.ready()
    refresh = 'renewed'
    device.setOnline(true)
    await expect.poll(() => restarted.token()).toBeDefined()
  })

  it('opens until the inactivity deadline and no longer', async () => {
    refresh = 'no line'
    device.sleep(899_000)
    expect((await openTab(device).ready()).kind).toBe('signed-in')
    device.sleep(2_000)
    expect((await openTab(device).ready()).kind).toBe('signed-out')
    expect(endings).toEqual(['inactivity'])
  })

  it('opens for nobody after log-out, whatever was kept', async () => {
    await session.logOut()
    refresh = 'no line'
    expect((await openTab(device).ready()).kind).toBe('signed-out')
  })

  it('waits for an answer where nothing was kept', async () => {
    kept = undefined
    refresh = 'refused'
    expect((await openTab(device).ready()).kind).toBe('signed-out')
  })
})

describe('a session on a shared device (D31)', () => {
  beforeEach(async () => {
    use = { kind: 'shared' }
    await session.begin({ token: makeToken({ inactivity: 900 }) })
  })

  it('sends what is unsent before it ends, while there is a token, and says whose device it is', async () => {
    await session.logOut()
    expect(logouts.map(({ token }) => token)).toEqual([expect.any(String)])
    expect(endings).toEqual(['asked'])
  })

  it('waits five seconds for that, no longer, and ends once', async () => {
    waitForLogoutTimeout = new Promise(() => {})
    const leaving = session.logOut()
    void session.logOut('inactivity')
    expect(session.logoutStep()).toBe('sending')
    await device.advance(4_900)
    expect(endings).toEqual([])
    await device.advance(200)
    await leaving
    expect(endings).toEqual(['asked'])
    expect(logouts).toHaveLength(1)
    expect(session.logoutStep()).toBe('none')
  })

  it('is asked for anew after a reload of its tab, and by no other', async () => {
    expect((await openTab(device).ready()).kind).toBe('signed-in')
    device.saveTabText('session', undefined) // another tab, or the browser's next start
    expect((await openTab(device).ready()).kind).toBe('signed-out')
  })

  it('leaves nothing to send on one’s own phone', async () => {
    use = { kind: 'own' }
    await session.logOut()
    expect(logouts).toEqual([])
  })
})

describe('a log-out that the server did not hear of (SES12, S80)', () => {
  beforeEach(async () => {
    await session.begin({ token: makeToken() })
  })

  it.each(['no line', 'refused'] as const)('is told again until it is heard: %s', async how => {
    logOut = how
    await session.logOut()
    expect(session.state().kind).toBe('signed-out')
    await device.advance(15_000)
    expect(logOuts()).toBe(2)
    logOut = 'heard'
    await device.advance(15_000)
    expect(logOuts()).toBe(3)
    await device.advance(60_000)
    expect(logOuts()).toBe(3)
  })

  it('is told as soon as the line is back', async () => {
    logOut = 'no line'
    await session.logOut()
    logOut = 'heard'
    device.setOnline(true)
    await expect.poll(() => logOuts()).toBe(2)
  })

  it('is told by the next start, which signs nobody in by the cookie that is left', async () => {
    logOut = 'no line'
    await session.logOut()
    // A tab that the browser opens again has its texts back.
    device.saveTabText('session', '1')
    const restarted = openTab(device)
    expect((await restarted.ready()).kind).toBe('signed-out')
    await expect.poll(() => logOuts()).toBe(2)
    expect(asked.some(({ url }) => url.endsWith('/refresh-token'))).toBe(false)
  })

  it('is owed no longer once somebody has signed in, who stays', async () => {
    logOut = 'hangs'
    void session.logOut()
    session.abortPendingLogout()
    expect(await session.begin({ token: makeToken({ applicantId: 'ap-2' }) })).toBe(true)
    const before = logOuts()
    await device.advance(60_000)
    expect(logOuts()).toBe(before)
    expect(session.state()).toMatchObject({ kind: 'signed-in', claims: { applicantId: 'ap-2' } })
  })

  it('is owed too when the time ran out while the phone lay without a line', async () => {
    const kiosk = makeToken({ inactivity: 900 })
    await session.begin({ token: kiosk })
    refresh = 'no line'
    logOut = 'no line'
    device.sleep(901_000)
    const restarted = openTab(device)
    expect((await restarted.ready()).kind).toBe('signed-out')
    logOut = 'heard'
    await device.advance(15_000)
    expect(logOuts()).toBe(2)
  })
})

describe('what a shared device could not send (D31)', () => {
  let leaving: Promise<void>

  beforeEach(async () => {
    use = { kind: 'shared' }
    losing = true
    await session.begin({ token: makeToken({ inactivity: 900 }) })
    leaving = session.logOut()
    await expect.poll(() => session.logoutStep()).toBe('asking')
    expect(endings).toEqual([])
  })

  it('is not lost when the applicant stays', async () => {
    session.answerLogout(false)
    await leaving
    expect([session.logoutStep(), session.state().kind, endings]).toEqual(['none', 'signed-in', []])
    expect(asked).toEqual([])
    losing = false
    await session.logOut()
    expect(endings).toEqual(['asked'])
  })

  it('is lost only when the applicant says so', async () => {
    session.answerLogout(true)
    await leaving
    expect(endings).toEqual(['asked'])
  })

  it('is cleared all the same when nobody answers until the time runs out', async () => {
    await session.logOut('inactivity')
    await leaving
    expect(endings).toEqual(['asked'])
    expect(session.state().kind).toBe('signed-out')
  })
})

describe('a session on a kiosk (D38)', () => {
  beforeEach(() => {
    use = { kind: 'kiosk', officeId: '12' }
  })

  it.each([
    ['a longer time', 900],
    ['no time at all', undefined],
  ])(
    'is over after 120 seconds without a sign of life, whatever the token says: %s',
    async (_, inactivity) => {
      await session.begin({ token: makeToken({ inactivity }) })
      await device.advance(119_000)
      expect(session.inactivity()?.kind).toBe('warning')
      await device.advance(1_000)
      expect(session.inactivity()?.kind).toBe('over')
    },
  )

  it('may be over sooner', async () => {
    await session.begin({ token: makeToken({ inactivity: 90 }) })
    await device.advance(90_000)
    expect(session.inactivity()?.kind).toBe('over')
  })
})

function nothing(): void {}

function logOuts(): number {
  return asked.filter(({ url }) => url.endsWith('/logout')).length
}
