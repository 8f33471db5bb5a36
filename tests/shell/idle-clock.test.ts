// @vitest-environment happy-dom
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { loadWire } from '#api/client.ts'
import type { Ending, Session } from '#session/session.ts'
import { createIdleClock, type IdleClock } from '#shell/idle-clock.ts'
import { makeToken } from '#support/access-token.ts'
import { answerFetch, type Asked } from '#support/fake-fetch.ts'
import { openSignInDesk } from '#support/sign-in-desk.ts'
import { createWoundDevice, type WoundDevice } from '#support/wound-device.ts'

let device: WoundDevice
let session: Session
let clock: IdleClock
let asked: Asked[]
let endings: Ending[]
let stop: () => void

// A page that is alive has it.
beforeAll(loadWire)

beforeEach(() => {
  device = createWoundDevice()
  asked = answerFetch(() => ({}))
  endings = []
  session = openSignInDesk({ device, onEnd: ending => endings.push(ending) }).session
  clock = createIdleClock(device, session)
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
    await device.wind(239_000)
    expect(clock.secondsLeft()).toBeUndefined()
    await device.wind(1_000)
    expect(clock.secondsLeft()).toBe(60)
    await device.wind(59_000)
    expect(clock.secondsLeft()).toBe(1)
    await device.wind(1_000)
    expect(endings).toEqual(['inactivity'])
    expect(clock.secondsLeft()).toBeUndefined()
    expect(asked.map(({ url }) => url)).toEqual(['/api/v1/refresh-token/logout'])
  })

  it.each(['keydown', 'mousemove', 'click', 'touchstart', 'scroll'])(
    'starts anew with a %s (SES08)',
    async type => {
      await signIn()
      await device.wind(200_000)
      dispatchEvent(new Event(type))
      await device.wind(239_000)
      expect(clock.secondsLeft()).toBeUndefined()
      await device.wind(1_000)
      expect(clock.secondsLeft()).toBe(60)
    },
  )

  it('starts anew at most once in 15 seconds (SES09)', async () => {
    await signIn()
    await device.wind(14_000)
    dispatchEvent(new Event('click'))
    await device.wind(226_000)
    expect(clock.secondsLeft()).toBe(60)
  })

  it('who is warned goes on by a press, not by a mere touch of the mouse (S79)', async () => {
    await signIn()
    await device.wind(245_000)
    dispatchEvent(new Event('mousemove'))
    expect(clock.secondsLeft()).toBe(55)
    dispatchEvent(new Event('click'))
    expect(clock.secondsLeft()).toBeUndefined()
    await device.wind(235_000)
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
    await device.wind(250_000)
    device.remember('activity', String(device.now()))
    await device.wind(1_000)
    expect(clock.secondsLeft()).toBeUndefined()
  })
})

describe('without a session, or without a limit', () => {
  it('nothing is counted (S79)', async () => {
    await device.wind(10_000_000)
    await signIn(null)
    await device.wind(10_000_000)
    expect(endings).toEqual([])
  })
})
