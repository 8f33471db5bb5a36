// @vitest-environment happy-dom
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadResponseReader } from '#api/client.ts'
import { doNothing } from '#device/do-nothing.ts'
import type { SessionEndReason, Session } from '#session/session.ts'
import { createInactivityTimer, type InactivityTimer } from '#shell/inactivity-timer.ts'
import { makeToken } from '#support/data/access-token.ts'
import { installFakeFetch, type FakeRequest } from '#support/providers/fake-fetch.ts'
import { openSignInFixture } from '#support/fixtures/sign-in-fixture.ts'
import { createFakeDevice, type FakeDevice } from '#support/providers/fake-device.ts'

let device: FakeDevice
let session: Session
let timer: InactivityTimer
let requests: FakeRequest[]
let endings: SessionEndReason[]
let stop: () => void

// A hydrated page has loaded the response reader.
beforeAll(loadResponseReader)

/** Creates the session of a page that has just loaded. */
function loadSession(): void {
  session = openSignInFixture({ device, onEnd: ending => endings.push(ending) }).session
}

function startTimer(): void {
  timer = createInactivityTimer(device, session, () => false)
  stop = timer.subscribe(() => undefined)
}

beforeEach(() => {
  device = createFakeDevice()
  requests = installFakeFetch(() => ({}))
  endings = []
  loadSession()
  startTimer()
})

afterEach(() => {
  stop()
  vi.unstubAllGlobals()
})

/** Starts a session with a token that lasts so long that no refresh happens. `inactivity`: seconds. */
async function signIn(inactivity: number | null = 300) {
  await session.begin({ token: makeToken({ iat: 0, exp: 1_000_000, inactivity }) })
}

describe('createInactivityTimer', () => {
  it('warns when 60 seconds are left and logs out at zero (SES07, SES10, SES11, S80)', async () => {
    await signIn()
    await device.advance(239_000)
    expect(timer.secondsLeft()).toBeUndefined()
    await device.advance(1_000)
    expect(timer.secondsLeft()).toBe(60)
    await device.advance(59_000)
    expect(timer.secondsLeft()).toBe(1)
    await device.advance(1_000)
    expect(endings).toEqual(['inactivity'])
    expect(timer.secondsLeft()).toBeUndefined()
    expect(requests.map(({ url }) => url)).toEqual(['/api/v1/refresh-token/logout'])
  })

  it('makes the session emit a few changes, not thousands, when it logs out an inactive shared device (SES11 D31)', async () => {
    stop()
    session = openSignInFixture({ device, isShared: true, onEnd: ending => endings.push(ending) }).session
    stop = createInactivityTimer(device, session, () => true).subscribe(() => undefined)
    await signIn()
    let changes = 0
    session.subscribe(() => (changes += 1))
    await device.advance(300_000)
    expect(endings).toEqual(['inactivity'])
    expect(changes).toBeLessThan(10)
  })

  it.each(['keydown', 'mousemove', 'click', 'touchstart', 'scroll'])(
    'restarts the countdown on %s (SES08)',
    async type => {
      await signIn()
      await device.advance(200_000)
      dispatchEvent(new Event(type))
      await device.advance(239_000)
      expect(timer.secondsLeft()).toBeUndefined()
      await device.advance(1_000)
      expect(timer.secondsLeft()).toBe(60)
    },
  )

  it('restarts the countdown at most once in 15 seconds (SES09)', async () => {
    await signIn()
    await device.advance(14_000)
    dispatchEvent(new Event('click'))
    await device.advance(226_000)
    expect(timer.secondsLeft()).toBe(60)
  })

  it('ends the warning on a click, but not on a mouse movement (S79)', async () => {
    await signIn()
    await device.advance(245_000)
    dispatchEvent(new Event('mousemove'))
    expect(timer.secondsLeft()).toBe(55)
    dispatchEvent(new Event('click'))
    expect(timer.secondsLeft()).toBeUndefined()
    await device.advance(235_000)
    expect(endings).toEqual([])
  })

  it('logs out when the phone wakes up after the limit (S85)', async () => {
    await signIn()
    device.sleep(600_000)
    device.wakeUp()
    await expect.poll(() => endings).toEqual(['inactivity'])
  })

  it('logs out after a sleep beyond the limit also when a key is pressed before the late timer runs (SES11)', async () => {
    await signIn()
    await device.advance(100_000)
    device.sleep(3_600_000)
    document.dispatchEvent(new Event('keydown', { bubbles: true }))
    await device.advance(0)
    expect(endings).toEqual(['inactivity'])
  })

  it.each([[''], ['not a time'], ['NaN'], ['-Infinity']])(
    'logs out in time when the saved time of the last activity is damaged: %j (SES07, SES11)',
    async damaged => {
      await signIn()
      await device.advance(100_000)
      device.saveText('activity', damaged)
      await device.advance(199_000)
      expect(timer.secondsLeft()).toBe(1)
      await device.advance(1_000)
      expect(endings).toEqual(['inactivity'])
    },
  )

  it('saves a valid time again at the first activity after the saved one was damaged (SES09)', async () => {
    await signIn()
    await device.advance(100_000)
    device.saveText('activity', 'not a time')
    dispatchEvent(new Event('click'))
    expect(device.readText('activity')).toBe(String(device.now()))
  })

  it('ends the warning when another tab records activity (S85)', async () => {
    await signIn()
    await device.advance(250_000)
    device.saveText('activity', String(device.now()))
    await device.advance(1_000)
    expect(timer.secondsLeft()).toBeUndefined()
  })
})

describe('createInactivityTimer when the clocks of the phone differ (S85)', () => {
  const dayMs = 24 * 60 * 60 * 1_000

  it('counts only the real time when the wall clock jumps a day forward in an open page', async () => {
    await signIn()
    await device.advance(200_000)
    device.moveWallClock(dayMs)
    await device.advance(40_000)
    expect(timer.secondsLeft()).toBe(60)
    await device.advance(59_000)
    expect(endings).toEqual([])
    await device.advance(1_000)
    expect(endings).toEqual(['inactivity'])
  })

  it('counts the activity of another tab after the wall clock jumped in both tabs', async () => {
    await signIn()
    await device.advance(200_000)
    device.moveWallClock(dayMs)
    await device.advance(20_000)
    device.saveText('activity', String(device.now()))
    await device.advance(40_000)
    expect(timer.secondsLeft()).toBeUndefined()
    await device.advance(200_000)
    expect(timer.secondsLeft()).toBe(60)
  })

  it('counts the activity of another tab shortly before the wall clock jumped in both tabs', async () => {
    await signIn()
    await device.advance(200_000)
    device.saveText('activity', String(device.now()))
    device.moveWallClock(dayMs)
    await device.advance(239_000)
    expect(timer.secondsLeft()).toBeUndefined()
    await device.advance(1_000)
    expect(timer.secondsLeft()).toBe(60)
  })

  it('logs out after an hour of sleep in which the monotonic clock stopped', async () => {
    await signIn()
    await device.advance(100_000)
    device.hidePage()
    device.moveWallClock(3_600_000)
    device.wakeUp()
    await expect.poll(() => endings).toEqual(['inactivity'])
  })

  it('logs out after a sleep in which the monotonic clock stopped, when a timer runs before the page is visible again', async () => {
    await signIn()
    device.hidePage()
    device.moveWallClock(3_600_000)
    await device.advance(240_000)
    expect(endings).toEqual(['inactivity'])
  })

  it('logs out in time when the wall clock is set back while the page is hidden', async () => {
    await signIn()
    device.hidePage()
    device.moveWallClock(-dayMs)
    await device.advance(300_000)
    expect(endings).toEqual(['inactivity'])
  })
})

describe('createInactivityTimer of a page that is loaded after the clock of the phone was set (S85)', () => {
  const dayMs = 24 * 60 * 60 * 1_000
  const signedInAt = 1_000_000

  let signedInMs: number

  beforeEach(async () => {
    signedInMs = device.monotonic()
    await session.begin({ token: tokenAt(0) })
  })

  /** A token that the server has issued this many seconds after the sign-in. */
  function tokenAt(seconds: number): string {
    const iat = signedInAt + seconds
    return makeToken({ iat, exp: iat + 1_000_000, inactivity: 300 })
  }

  /** Lets this many seconds pass, sets the wall clock, and loads the page again; the server issues a new token then. */
  async function reloadAfter(seconds: number, jumpMs: number, givenToken?: string) {
    stop()
    device.sleep(seconds * 1_000)
    const token = givenToken ?? tokenAt((device.monotonic() - signedInMs) / 1_000)
    device.moveWallClock(jumpMs)
    installFakeFetch(({ url }) => (url === '/api/v1/refresh-token' ? { json: { data: { token } } } : {}))
    loadSession()
    startTimer()
    await session.ready()
  }

  it.each<[string, number]>([
    ['a day forward', dayMs],
    ['ten years forward', 3_652 * dayMs],
  ])('keeps the applicant signed in, and warns in time, when the clock was set %s', async (_, jumpMs) => {
    await reloadAfter(100, jumpMs)
    await device.advance(139_000)
    expect(timer.secondsLeft()).toBeUndefined()
    await device.advance(1_000)
    expect(timer.secondsLeft()).toBe(60)
    await device.advance(60_000)
    expect(endings).toEqual(['inactivity'])
  })

  it.each<[string, number]>([
    ['the clock was set a day forward', dayMs],
    ['the clock was not set', 0],
  ])('logs out an applicant who was away for two hours when %s', async (_, jumpMs) => {
    await reloadAfter(7_200, jumpMs)
    await expect.poll(() => endings).toEqual(['inactivity'])
  })

  it('logs out an applicant who was away for two hours when the page has only the token from before, as in a start without the server', async () => {
    await reloadAfter(7_200, 0, tokenAt(0))
    await expect.poll(() => endings).toEqual(['inactivity'])
  })

  it('counts from an activity after the clock was set', async () => {
    device.moveWallClock(dayMs)
    await device.advance(20_000)
    dispatchEvent(new Event('click'))
    await reloadAfter(120, 0)
    await device.advance(119_000)
    expect(timer.secondsLeft()).toBeUndefined()
    await device.advance(1_000)
    expect(timer.secondsLeft()).toBe(60)
  })

  /** The clock is set a day back, and the applicant is active 20 s later. */
  async function actWithClockBack() {
    device.moveWallClock(-dayMs)
    await device.advance(20_000)
    dispatchEvent(new Event('click'))
  }

  it('counts from the last token when the clock was set a day back before the last activity, and right again after it', async () => {
    await actWithClockBack()
    await reloadAfter(120, dayMs)
    await device.advance(99_000)
    expect(timer.secondsLeft()).toBeUndefined()
    await device.advance(1_000)
    expect(timer.secondsLeft()).toBe(60)
    await device.advance(60_000)
    expect(endings).toEqual(['inactivity'])
  })

  it('counts from the last activity when the clock was set a day forward in the open page before the last token', async () => {
    device.moveWallClock(dayMs)
    await device.advance(20_000)
    installFakeFetch(() => ({ json: { data: { token: tokenAt(20) } } }))
    await session.refresh()
    await reloadAfter(100, 0)
    await device.advance(119_000)
    expect(timer.secondsLeft()).toBeUndefined()
    await device.advance(1_000)
    expect(timer.secondsLeft()).toBe(60)
  })

  it('logs out an applicant who was away for two hours, when the clock was set a day back before that, and right again', async () => {
    await actWithClockBack()
    await reloadAfter(7_200, dayMs)
    await expect.poll(() => endings).toEqual(['inactivity'])
  })

  it('logs out an applicant who was away for two hours when the clock was a day ahead before that, and is right again', async () => {
    device.moveWallClock(dayMs)
    await device.advance(20_000)
    dispatchEvent(new Event('click'))
    installFakeFetch(() => ({ json: { data: { token: tokenAt(20) } } }))
    await session.refresh()
    await reloadAfter(7_200, -dayMs)
    await expect.poll(() => endings).toEqual(['inactivity'])
  })

  it('counts from the last token when the clock was a day ahead at the last activity, and is right again', async () => {
    device.moveWallClock(dayMs)
    await device.advance(20_000)
    dispatchEvent(new Event('click'))
    await reloadAfter(120, -dayMs)
    await device.advance(99_000)
    expect(timer.secondsLeft()).toBeUndefined()
    await device.advance(1_000)
    expect(timer.secondsLeft()).toBe(60)
  })

  it('counts from a sign-in when the clock was a day ahead at the last token, and is right again', async () => {
    device.moveWallClock(dayMs)
    await device.advance(20_000)
    installFakeFetch(() => ({ json: { data: { token: tokenAt(20) } } }))
    await session.refresh()
    stop()
    device.sleep(3_600_000)
    device.moveWallClock(-dayMs)
    loadSession()
    await session.begin({ token: tokenAt(3_620) })
    startTimer()
    await device.advance(239_000)
    expect(timer.secondsLeft()).toBeUndefined()
    await device.advance(1_000)
    expect(timer.secondsLeft()).toBe(60)
  })

  it('logs out an applicant who was away for two hours when the phone slept between the new token and its use', async () => {
    stop()
    device.sleep(100_000)
    let answer = doNothing
    installFakeFetch(async () => {
      const token = tokenAt(100)
      await new Promise<void>(resolve => (answer = resolve))
      return { json: { data: { token } } }
    })
    loadSession()
    const ready = session.ready()
    await expect.poll(() => answer).not.toBe(doNothing)
    device.sleep(7_200_000)
    answer()
    await ready
    startTimer()
    await expect.poll(() => endings).toEqual(['inactivity'])
  })

  it('counts what had passed at the last token without activity, when the clock was set a day forward in the open page before', async () => {
    await device.advance(10_000)
    device.moveWallClock(dayMs)
    await device.advance(190_000)
    installFakeFetch(() => ({ json: { data: { token: tokenAt(200) } } }))
    await session.refresh()
    await reloadAfter(90, 0)
    await device.advance(9_000)
    expect(timer.secondsLeft()).toBe(1)
    await device.advance(1_000)
    expect(endings).toEqual(['inactivity'])
  })

  it('compares tokens again after their saved times were damaged', async () => {
    device.saveText('token-times', 'no times')
    await reloadAfter(100, 0)
    await reloadAfter(10, dayMs)
    await device.advance(129_000)
    expect(timer.secondsLeft()).toBeUndefined()
    await device.advance(1_000)
    expect(timer.secondsLeft()).toBe(60)
  })

  it('saves no times of a token after the time limit, so that the page logs out also when it is loaded again before the log-out has ended', async () => {
    const before = device.readText('token-times')
    await reloadAfter(7_200, 0)
    await expect.poll(() => endings).toEqual(['inactivity'])
    expect(device.readText('token-times')).toBe(before)
  })

  it('saves no times of tokens on a shared device, which goes by its clock alone', async () => {
    const shared = createFakeDevice()
    session = openSignInFixture({ device: shared, isShared: true }).session
    await session.begin({ token: tokenAt(0) })
    createInactivityTimer(shared, session, () => true).subscribe(() => undefined)()
    expect(shared.readText('token-times')).toBeUndefined()
    expect(device.readText('token-times')).toBeDefined()
  })
})

describe('createInactivityTimer without a session or a limit', () => {
  it.each([null, 0])('never logs out with the claim %j (S78, S79)', async inactivity => {
    await device.advance(10_000_000)
    await signIn(inactivity)
    await device.advance(10_000_000)
    expect(timer.secondsLeft()).toBeUndefined()
    expect(endings).toEqual([])
  })
})
