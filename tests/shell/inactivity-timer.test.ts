// @vitest-environment happy-dom
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadResponseReader } from '#api/client.ts'
import type { SessionEndReason, Session } from '#session/session.ts'
import { createInactivityTimer, type InactivityTimer } from '#shell/inactivity-timer.ts'
import { makeToken } from '#support/data/access-token.ts'
import { installFakeFetch, type FakeRequest } from '#support/providers/fake-fetch.ts'
import { openSignInFixture } from '#support/fixtures/sign-in-fixture.ts'
import { createFakeDevice, type FakeDevice } from '#support/providers/fake-device.ts'

let device: FakeDevice
let session: Session
let clock: InactivityTimer
let asked: FakeRequest[]
let endings: SessionEndReason[]
let stop: () => void

// A page that is alive has it.
beforeAll(loadResponseReader)

beforeEach(() => {
  device = createFakeDevice()
  asked = installFakeFetch(() => ({}))
  endings = []
  session = openSignInFixture({ device, onEnd: ending => endings.push(ending) }).session
  clock = createInactivityTimer(device, session)
  stop = clock.subscribe(() => undefined)
})

afterEach(() => {
  stop()
  vi.unstubAllGlobals()
})

/** A session whose token lasts so long that no refresh comes between. */
async function signIn(inactivity: number | null = 300) {
  await session.begin({ token: makeToken({ iat: 0, exp: 1_000_000, inactivity }) })
}

describe('an idle applicant', () => {
  it('is warned when 60 seconds are left, and logged out at zero (SES07, SES10, SES11, S80)', async () => {
    await signIn()
    await device.advance(239_000)
    expect(clock.secondsLeft()).toBeUndefined()
    await device.advance(1_000)
    expect(clock.secondsLeft()).toBe(60)
    await device.advance(59_000)
    expect(clock.secondsLeft()).toBe(1)
    await device.advance(1_000)
    expect(endings).toEqual(['inactivity'])
    expect(clock.secondsLeft()).toBeUndefined()
    expect(asked.map(({ url }) => url)).toEqual(['/api/v1/refresh-token/logout'])
  })

  it.each(['keydown', 'mousemove', 'click', 'touchstart', 'scroll'])(
    'starts anew with a %s (SES08)',
    async type => {
      await signIn()
      await device.advance(200_000)
      dispatchEvent(new Event(type))
      await device.advance(239_000)
      expect(clock.secondsLeft()).toBeUndefined()
      await device.advance(1_000)
      expect(clock.secondsLeft()).toBe(60)
    },
  )

  it('starts anew at most once in 15 seconds (SES09)', async () => {
    await signIn()
    await device.advance(14_000)
    dispatchEvent(new Event('click'))
    await device.advance(226_000)
    expect(clock.secondsLeft()).toBe(60)
  })

  it('who is warned goes on by a press, not by a mere touch of the mouse (S79)', async () => {
    await signIn()
    await device.advance(245_000)
    dispatchEvent(new Event('mousemove'))
    expect(clock.secondsLeft()).toBe(55)
    dispatchEvent(new Event('click'))
    expect(clock.secondsLeft()).toBeUndefined()
    await device.advance(235_000)
    expect(endings).toEqual([])
  })

  it('is logged out when the phone wakes up too late (S85)', async () => {
    await signIn()
    device.sleep(600_000)
    device.wakeUp()
    expect(endings).toEqual(['inactivity'])
  })

  it('is kept by another tab in which somebody is active (S85)', async () => {
    await signIn()
    await device.advance(250_000)
    device.saveText('activity', String(device.now()))
    await device.advance(1_000)
    expect(clock.secondsLeft()).toBeUndefined()
  })
})

describe('without a session, or without a limit', () => {
  it('nothing is counted (S79)', async () => {
    await device.advance(10_000_000)
    await signIn(null)
    await device.advance(10_000_000)
    expect(endings).toEqual([])
  })
})
