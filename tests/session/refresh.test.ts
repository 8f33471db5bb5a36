import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { doNothing } from '#device/do-nothing.ts'
import { makeToken } from '#support/data/access-token.ts'
import type { FakeDevice } from '#support/providers/fake-device.ts'
import { installFakeFetch } from '#support/providers/fake-fetch.ts'
import { openSessionFixture, type SessionFixture } from './session-fixture.ts'

let fixture: SessionFixture

beforeEach(async () => {
  fixture = await openSessionFixture()
})

afterEach(() => {
  vi.unstubAllGlobals()
})

/** How many refreshes were sent. */
const refreshes = () => fixture.requests.filter(({ url }) => url.endsWith('/refresh-token')).length

describe('a session', () => {
  it('refreshes its token at half of its lifetime and uses the new one (SES04, SES05)', async () => {
    const first = makeToken()
    await fixture.session.begin({ token: first })
    await fixture.device.advance(449_000)
    expect(fixture.requests).toEqual([])
    await fixture.device.advance(2_000)
    expect(fixture.requests.map(({ url }) => url)).toEqual(['/api/v1/refresh-token'])
    expect(fixture.session.token()).not.toBe(first)
  })

  it('does not unlock the store again, and caches the claims again, when its token is refreshed (SES04, D31)', async () => {
    await fixture.session.begin({ token: makeToken(), draftKey: 'secret' })
    const claimsBefore = fixture.cachedClaims
    await fixture.device.advance(451_000)
    expect(fixture.requests).toHaveLength(1)
    expect(fixture.unlockCount).toBe(1)
    expect(fixture.cachedClaims).not.toBe(claimsBefore)
  })

  it('unlocks the store once more when a refreshed token brings another key (D110)', async () => {
    await fixture.session.begin({ token: makeToken(), draftKey: 'old' })
    fixture.refreshedKeys = { draftKey: 'old' }
    await fixture.device.advance(451_000)
    expect(fixture.unlockCount).toBe(1)
    // The server changes its key in two steps: it adds the new key as `previousDraftKey`, then the two change places.
    fixture.refreshedKeys = { draftKey: 'old', previousDraftKey: 'new' }
    await fixture.device.advance(451_000)
    expect(fixture.unlockCount).toBe(2)
    fixture.refreshedKeys = { draftKey: 'new', previousDraftKey: 'old' }
    await fixture.device.advance(451_000)
    await fixture.device.advance(451_000)
    expect(fixture.unlockCount).toBe(3)
  })

  it('unlocks the store at a refresh when it could not be unlocked before (D31)', async () => {
    let isBroken = true
    const tab = fixture.openTab(fixture.device, {
      onOpen: () => (isBroken ? Promise.reject(new Error('no storage')) : Promise.resolve()),
    })
    await tab.begin({ token: makeToken() })
    isBroken = false
    await fixture.device.advance(451_000)
    expect(fixture.unlockCount).toBe(2)
    await fixture.device.advance(451_000)
    expect(fixture.unlockCount).toBe(2)
  })

  it('ends when the server refuses the refresh (SES06)', async () => {
    await fixture.session.begin({ token: makeToken() })
    fixture.refreshAnswer = 'refused'
    await fixture.device.advance(450_000)
    expect(fixture.endings).toEqual(['refused'])
    expect(fixture.session.state().kind).toBe('signed-out')
  })

  it('stays when the service is unreachable, and refreshes when the service is back (S82)', async () => {
    const first = makeToken()
    await fixture.session.begin({ token: first })
    fixture.refreshAnswer = 'no connection'
    await fixture.device.advance(450_000)
    expect(fixture.session.state().kind).toBe('signed-in')
    fixture.refreshAnswer = 'renewed'
    await fixture.device.advance(4_000)
    expect(fixture.session.state().kind).toBe('signed-in')
    expect(fixture.requests).toHaveLength(2)
    expect(fixture.session.token()).not.toBe(first)
  })

  it('does not open again when a late call asks for a refresh after the log-out (SES12)', async () => {
    await fixture.session.begin({ token: makeToken() })
    await fixture.session.logOut()
    expect(await fixture.session.refresh()).toBe(false)
    expect(fixture.session.state().kind).toBe('signed-out')
    expect(fixture.requests.map(({ url }) => url)).toEqual(['/api/v1/refresh-token/logout'])
  })

  it.each([403, 404, 408, 425, 429])(
    'stays when the refresh is answered with %i, and retries (S84)',
    async status => {
      await fixture.session.begin({ token: makeToken() })
      installFakeFetch(() => ({ status, json: { statusCode: status } }))
      await fixture.device.advance(450_000)
      expect(fixture.session.state().kind).toBe('signed-in')
      let renewals = 0
      installFakeFetch(() => ((renewals += 1), { json: { data: { token: makeToken() } } }))
      await fixture.device.advance(60_000)
      expect(renewals).toBe(1)
    },
  )

  it('ends when the refresh returns a token of another applicant, who signed in in another tab (SES06)', async () => {
    await fixture.session.begin({ token: makeToken() })
    installFakeFetch(() => ({ json: { data: { token: makeToken({ applicantId: 'ap-2' }) } } }))
    await fixture.device.advance(450_000)
    expect(fixture.session.state().kind).toBe('signed-out')
    expect(fixture.session.token()).toBeUndefined()
    expect(fixture.endings).toEqual(['refused'])
  })
})

/** An answer to the refresh that comes after the sign-in would replace or delete the cookie of the sign-in. */
describe('a refresh at the same time as a sign-in (S85)', () => {
  it.each([
    ['in another tab', () => fixture.device.receiveBroadcast({ kind: 'signing-in' })],
    ['in this tab', () => void fixture.session.holdForSignIn()],
  ])('is aborted when the sign-in begins %s', async (_, signIn) => {
    await fixture.session.begin({ token: makeToken() })
    fixture.refreshAnswer = 'hangs'
    const refreshed = fixture.session.refresh()
    await expect.poll(refreshes).toBe(1)
    signIn()
    expect(await refreshed).toMatchObject({ kind: 'unreachable' })
    expect(fixture.session.state().kind).toBe('signed-in')
  })

  it('is not sent when the sign-in begins while the browser is asked whether the lock of a sign-in is held', async () => {
    await fixture.session.begin({ token: makeToken() })
    let answer: (isHeld: boolean) => void = doNothing
    fixture.device.isLockHeld = () => new Promise(resolve => (answer = resolve))
    const refreshed = fixture.session.refresh()
    await expect.poll(() => answer).not.toBe(doNothing)
    fixture.session.holdForSignIn()
    // The answer of the browser is from before it gave the lock to the sign-in.
    answer(false)
    expect(await refreshed).toMatchObject({ kind: 'unreachable' })
    expect(refreshes()).toBe(0)
  })

  it('is sent only after the sign-in', async () => {
    await fixture.session.begin({ token: makeToken() })
    const release = fixture.session.holdForSignIn()
    expect(await fixture.session.refresh()).toMatchObject({ kind: 'unreachable' })
    expect(refreshes()).toBe(0)
    release()
    await fixture.device.advance(4_000)
    expect(refreshes()).toBe(1)
  })
})

it('a refresh that waited for another tab says nothing about the session of the next applicant (D31)', async () => {
  let release = doNothing
  const released = new Promise<void>(resolve => (release = resolve))
  const tab: FakeDevice = {
    ...fixture.device,
    async withLock(name, run) {
      if (name === 'refresh-token') await released
      return run()
    },
  }
  const waiting = fixture.openTab(tab)
  await waiting.begin({ token: makeToken({ applicantId: 'ada' }) })
  const refreshed = waiting.refresh()
  await waiting.logOut()
  await waiting.begin({ token: makeToken({ applicantId: 'ben' }) })
  release()
  expect(await refreshed).toBe(false)
  expect(waiting.signedInId()).toBe('ben')
})
