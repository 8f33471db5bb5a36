import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { durableKeys } from '#store/device-use.ts'
import { makeToken } from '#support/data/access-token.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import { holdRequests, openSessionFixture, type SessionFixture } from './session-fixture.ts'

let fixture: SessionFixture

beforeEach(async () => {
  fixture = await openSessionFixture()
})

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('a session', () => {
  it('is restored by its cookie after a reload (S81)', async () => {
    await fixture.session.begin({ token: makeToken() })
    const reloaded = fixture.openTab()
    expect(reloaded.token()).toBeUndefined()
    expect((await reloaded.ready()).kind).toBe('signed-in')
    expect(fixture.requests.map(({ headers }) => headers.get('authorization'))).toEqual([null])
  })

  it('sends no request on a first visit', async () => {
    expect((await fixture.session.ready()).kind).toBe('signed-out')
    expect(fixture.requests).toEqual([])
  })
})

describe('a start without the server (D23)', () => {
  beforeEach(async () => {
    await fixture.session.begin({ token: makeToken({ inactivity: 900 }) })
  })

  it('opens the session of the last applicant, which has no token yet', async () => {
    fixture.refreshAnswer = 'no connection'
    const restarted = fixture.openTab()
    expect(await restarted.ready()).toMatchObject({ kind: 'signed-in', claims: { applicantId: 'ap-1' } })
    expect(restarted.token()).toBeUndefined()
  })

  it('opens after 3 s when the server does not answer', async () => {
    fixture.refreshAnswer = 'hangs'
    const restarted = fixture.openTab()
    const opening = restarted.ready()
    await fixture.device.advance(3_000)
    expect((await opening).kind).toBe('signed-in')
  })

  it('gets a token when the connection is back (S96)', async () => {
    fixture.refreshAnswer = 'no connection'
    const restarted = fixture.openTab()
    await restarted.ready()
    fixture.refreshAnswer = 'renewed'
    fixture.device.setOnline(true)
    await expect.poll(() => restarted.token()).toBeDefined()
  })

  it('opens only before the inactivity deadline', async () => {
    fixture.refreshAnswer = 'no connection'
    fixture.device.sleep(899_000)
    expect((await fixture.openTab().ready()).kind).toBe('signed-in')
    fixture.device.sleep(2_000)
    expect((await fixture.openTab().ready()).kind).toBe('signed-out')
    expect(fixture.endings).toEqual(['inactivity'])
  })

  it('opens until 15 minutes after the last activity when the inactivity limit is 0, which means none (SES07)', async () => {
    await fixture.session.begin({ token: makeToken({ inactivity: 0 }) })
    expect(fixture.session.inactivity()).toBeUndefined()
    fixture.refreshAnswer = 'no connection'
    fixture.device.sleep(899_000)
    expect((await fixture.openTab().ready()).kind).toBe('signed-in')
    fixture.device.sleep(2_000)
    expect((await fixture.openTab().ready()).kind).toBe('signed-out')
  })

  it.each(['', 'not a time', 'NaN', 'Infinity'])(
    'does not open when the saved time of the last activity is damaged: %j (SES11)',
    async damaged => {
      fixture.refreshAnswer = 'no connection'
      fixture.device.saveText('activity', damaged)
      expect((await fixture.openTab().ready()).kind).toBe('signed-out')
      expect(fixture.endings).toEqual(['inactivity'])
    },
  )

  it('continues the session when a slow storage returns its texts only after the start of the page (D64)', async () => {
    fixture.refreshAnswer = 'no connection'
    const afterPowerCut = createFakeDevice()
    const restarted = fixture.openTab(afterPowerCut)
    expect((await restarted.ready()).kind).toBe('signed-out')
    for (const key of durableKeys) afterPowerCut.saveText(key, fixture.device.readText(key))
    expect((await restarted.ready()).kind).toBe('signed-in')
    // The store gives its encryption key only to the session that saved the key.
    expect(restarted.id()).toBe(fixture.session.id())
  })

  it('stays signed out after a log-out, although claims are cached', async () => {
    await fixture.session.logOut()
    fixture.refreshAnswer = 'no connection'
    expect((await fixture.openTab().ready()).kind).toBe('signed-out')
  })

  it('waits longer than 3 s for the server when no claims are cached', async () => {
    fixture.cachedClaims = undefined
    const answer = holdRequests()
    let state: string | undefined
    const starting = fixture
      .openTab()
      .ready()
      .then(({ kind }) => (state = kind))
    await fixture.device.advance(20_000)
    expect(state).toBeUndefined()
    answer()
    expect(await starting).toBe('signed-in')
  })

  it('stays signed out when no claims are cached and the server refuses the session', async () => {
    fixture.cachedClaims = undefined
    fixture.refreshAnswer = 'refused'
    expect((await fixture.openTab().ready()).kind).toBe('signed-out')
  })
})
