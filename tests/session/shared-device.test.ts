import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeToken } from '#support/data/access-token.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import { expectRetriesUntilConfirmed, openSessionFixture, type SessionFixture } from './session-fixture.ts'

let fixture: SessionFixture

beforeEach(async () => {
  fixture = await openSessionFixture()
})

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('the start of a page on a shared device (D31)', () => {
  beforeEach(() => {
    fixture.deviceUse = { kind: 'shared' }
  })

  it.each([{ kind: 'shared' }, { kind: 'kiosk', officeId: '3' }] as const)(
    'logs out at the server, because the cookie of a crashed browser still opens a session: $kind',
    async sharedUse => {
      fixture.deviceUse = sharedUse
      const restarted = fixture.openTab()
      await expect.poll(() => fixture.logOuts()).toBe(1)
      expect((await restarted.ready()).kind).toBe('signed-out')
      expect(fixture.requests.some(({ url }) => url.endsWith('/refresh-token'))).toBe(false)
    },
  )

  it('logs out too when the browser restores the tab with its flag after a crash, because its page was neither left nor hidden', async () => {
    fixture.device.saveTabText('session', '1')
    const restored = fixture.openTab()
    await expect.poll(() => fixture.logOuts()).toBe(1)
    expect((await restored.ready()).kind).toBe('signed-out')
    expect(fixture.requests.some(({ url }) => url.endsWith('/refresh-token'))).toBe(false)
  })

  it('continues when the phone ended a hidden page', async () => {
    await fixture.session.begin({ token: makeToken() })
    fixture.device.hidePage()
    expect((await fixture.openTab().ready()).kind).toBe('signed-in')
  })

  it('does not continue when the page was shown again before the crash', async () => {
    await fixture.session.begin({ token: makeToken() })
    fixture.device.hidePage()
    fixture.device.wakeUp()
    expect((await fixture.openTab().ready()).kind).toBe('signed-out')
  })

  it('retries the log-out until the server confirms it', async () => {
    fixture.logOutAnswer = 'no connection'
    fixture.openTab()
    await expect.poll(() => fixture.logOuts()).toBe(1)
    await expectRetriesUntilConfirmed(fixture)
  })

  it('does not log out while another tab signs in, because the answer would delete the new cookie', async () => {
    fixture.session.holdForSignIn()
    fixture.openTab()
    await fixture.device.advance(60_000)
    expect(fixture.logOuts()).toBe(0)
  })

  it('does not log out while another tab is signed in, and does when no tab is', async () => {
    const first = createFakeDevice()
    const signedIn = fixture.openTab(first)
    await expect.poll(() => fixture.logOuts()).toBe(1)
    await signedIn.begin({ token: makeToken() })
    const before = fixture.logOuts()
    first.saveTabText('session', undefined) // a new tab has its own tab storage
    fixture.openTab(first)
    await first.advance(1_000)
    expect(fixture.logOuts()).toBe(before)
    expect(signedIn.state().kind).toBe('signed-in')
    fixture.openTab(createFakeDevice()) // a browser in which no tab is signed in
    await expect.poll(() => fixture.logOuts()).toBe(before + 1)
  })

  it('does not end the session after a reload of the tab', async () => {
    fixture.device.saveTabText('session', '1')
    fixture.device.leavePage()
    expect((await fixture.openTab().ready()).kind).toBe('signed-in')
    expect(fixture.logOuts()).toBe(0)
  })

  it('sends nothing on the applicant’s own phone', async () => {
    fixture.deviceUse = { kind: 'own' }
    fixture.openTab()
    await fixture.device.advance(1_000)
    expect(fixture.requests).toEqual([])
  })
})

describe('a session on a shared device (D31)', () => {
  beforeEach(async () => {
    fixture.deviceUse = { kind: 'shared' }
    await fixture.session.begin({ token: makeToken({ inactivity: 900 }) })
  })

  it('calls the hook that sends unsent drafts once, while it still has a token', async () => {
    await fixture.session.logOut()
    expect(fixture.draftSends.map(({ token }) => token)).toEqual([expect.any(String)])
    expect(fixture.endings).toEqual(['asked'])
  })

  it('waits at most 5 s for the drafts, and ends once', async () => {
    fixture.draftsSent = new Promise(() => {})
    const leaving = fixture.session.logOut()
    void fixture.session.logOut('inactivity')
    expect(fixture.session.logoutStep()).toBe('sending')
    await expect.poll(() => fixture.draftSends).toHaveLength(1)
    await fixture.device.advance(4_900)
    expect(fixture.endings).toEqual([])
    await fixture.device.advance(200)
    await leaving
    expect(fixture.endings).toEqual(['asked'])
    expect(fixture.draftSends).toHaveLength(1)
    expect(fixture.session.logoutStep()).toBe('none')
  })

  it('is restored after a reload of its tab, and in no other tab', async () => {
    fixture.device.leavePage()
    expect((await fixture.openTab().ready()).kind).toBe('signed-in')
    fixture.device.saveTabText('session', undefined) // another tab, or the browser's next start
    expect((await fixture.openTab().ready()).kind).toBe('signed-out')
  })
})

describe('a session on a kiosk (D38)', () => {
  beforeEach(() => {
    fixture.deviceUse = { kind: 'kiosk', officeId: '12' }
  })

  it.each([
    ['has a longer limit', 900],
    ['has no limit', undefined],
  ])('has expired after 120 s without activity when the token %s', async (_, inactivity) => {
    await fixture.session.begin({ token: makeToken({ inactivity }) })
    await fixture.device.advance(119_000)
    expect(fixture.session.inactivity()?.kind).toBe('warning')
    await fixture.device.advance(1_000)
    expect(fixture.session.inactivity()?.kind).toBe('expired')
  })

  it('has expired earlier when the token has a shorter limit', async () => {
    await fixture.session.begin({ token: makeToken({ inactivity: 90 }) })
    await fixture.device.advance(90_000)
    expect(fixture.session.inactivity()?.kind).toBe('expired')
  })
})
