import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { doNothing } from '#device/do-nothing.ts'
import type { Session } from '#session/session.ts'
import { makeToken } from '#support/data/access-token.ts'
import { eventually } from '#support/eventually.ts'
import { createFakeDevice, type FakeDevice } from '#support/providers/fake-device.ts'
import { holdRequests, openSessionFixture, type SessionFixture } from './session-fixture.ts'

let fixture: SessionFixture

beforeEach(async () => {
  fixture = await openSessionFixture()
})

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('a session', () => {
  it('ends when the applicant logs out in another tab (S85)', async () => {
    await fixture.session.begin({ token: makeToken() })
    fixture.device.receiveBroadcast({ kind: 'logged-out' })
    expect(fixture.endings).toEqual(['asked'])
  })

  describe('in a tab that hears of the log-out only after the next applicant has signed in (D31)', () => {
    it('ends without clearing the device, and leaves the session flag, the session id and the last activity', async () => {
      const { other, message } = await fixture.logOutInOneOfTwoTabs()
      await fixture.signInElsewhere('ap-2')
      const saved = () => ['session', 'session-id', 'activity'].map(key => fixture.device.readText(key))
      const before = saved()
      expect(before).not.toContain(undefined)
      expect(other.state().kind).toBe('signed-in')
      fixture.device.receiveBroadcast(message)
      expect(other.state().kind).toBe('signed-out')
      expect(fixture.endings).toEqual(['replaced'])
      expect(saved()).toEqual(before)
    })
  })

  it.each([
    ['the same applicant', makeToken(), 'asked'],
    // This reason does not clear the device: it has the drafts of the next applicant.
    ['the next applicant', makeToken({ applicantId: 'ap-2' }), 'refused'],
  ])('of %s ends when a tab with an older session logs out (S85, D31)', async (_, token, ending) => {
    const { message } = await fixture.logOutInOneOfTwoTabs()
    const newest = fixture.openTab()
    await newest.begin({ token })
    fixture.endings = []
    fixture.device.receiveBroadcast(message)
    expect(newest.state().kind).toBe('signed-out')
    expect(fixture.endings).toContain(ending)
  })

  it('ends in the other tab too, although the applicant has confirmed a second contact in the first (S85)', async () => {
    await fixture.session.begin({ token: makeToken() })
    const other = fixture.openTab()
    await other.ready()
    await fixture.session.takeToken({ token: makeToken() })
    await fixture.session.logOut()
    const [message] = fixture.device.broadcasts
    fixture.endings = []
    if (message) fixture.device.receiveBroadcast(message)
    expect(fixture.endings).toEqual(['asked'])
  })

  it('ends as refused, not as logged out, when another applicant logs out with the same session id (D31)', async () => {
    await fixture.session.begin({ token: makeToken() })
    const sessionId = fixture.device.readText('session-id')
    fixture.device.receiveBroadcast({ kind: 'logged-out', sessionId, applicantId: 'ap-2' })
    expect(fixture.endings).toEqual(['refused'])
  })

  it('ends for inactivity in the other tab when one tab logs out for inactivity (S85)', async () => {
    await fixture.session.begin({ token: makeToken() })
    const second = createFakeDevice()
    for (const key of ['session', 'session-id', 'activity'])
      second.saveText(key, fixture.device.readText(key))
    await fixture.openTab(second).ready()
    await fixture.session.logOut('inactivity')
    const [message] = fixture.device.broadcasts
    fixture.endings = []
    if (message) second.receiveBroadcast(message)
    expect(fixture.endings).toEqual(['inactivity'])
  })

  it('does not end as logged out when another applicant logs out while it opens (D31)', async () => {
    let unlocked = doNothing
    const opening = fixture.openTab(fixture.device, {
      onOpen: () => new Promise(resolve => (unlocked = resolve)),
    })
    fixture.device.saveText('session-id', 'session of ap-2')
    const beginning = opening.begin({ token: makeToken() })
    await eventually(() => expect(unlocked).not.toBe(doNothing))
    fixture.device.receiveBroadcast({
      kind: 'logged-out',
      sessionId: 'session of ap-2',
      applicantId: 'ap-2',
    })
    unlocked()
    await beginning
    await eventually(() => expect(fixture.endings).not.toEqual([]))
    expect(fixture.endings).not.toContain('asked')
  })

  it('stays signed out when the applicant logs out in another tab during the start (S85)', async () => {
    await fixture.session.begin({ token: makeToken() })
    const answer = holdRequests()
    const reloaded = fixture.openTab()
    const starting = reloaded.ready()
    fixture.device.receiveBroadcast({ kind: 'logged-out' })
    answer()
    expect((await starting).kind).toBe('signed-out')
    expect(reloaded.token()).toBeUndefined()
  })
})

describe('the log-out of a tab of a shared device, during which another tab logs out (D31, S85)', () => {
  it.each([
    ['asked', { isInactivity: true }, 'inactivity'],
    ['inactivity', {}, 'asked'],
  ] as const)(
    'for %s, told %o, ends the session once for the reason of the other tab: %s',
    async (reason, facts, ending) => {
      fixture.deviceUse = { kind: 'shared' }
      await fixture.session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
      let sent = doNothing
      fixture.draftsSent = new Promise(resolve => (sent = resolve))
      const leaving = fixture.session.logOut(reason)
      await expect.poll(() => fixture.draftSends.length).toBe(1)
      fixture.device.receiveBroadcast({ kind: 'logged-out', ...facts })
      // The key of the drafts is gone: a draft that this page cannot read counts as unsent.
      fixture.hasUnsentDrafts = true
      sent()
      await expect.poll(() => fixture.session.logoutStep()).toBe('none')
      await leaving
      expect([fixture.endings, fixture.logOuts(), fixture.hasLockedDrafts]).toEqual([[ending], 0, false])
    },
  )
})

describe('the other tab of a shared device after inactivity with unsent drafts (D31)', () => {
  let second: FakeDevice
  let other: Session

  beforeEach(async () => {
    fixture.deviceUse = { kind: 'shared' }
    fixture.hasUnsentDrafts = true
    await fixture.session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
    second = createFakeDevice()
    second.saveText('session-id', fixture.device.readText('session-id'))
    // The browser has copied the tab while its page was hidden: the flag counts in the copy too.
    second.saveTabText('session', '1')
    second.saveTabText('left', '1')
    other = fixture.openTab(second)
    await other.ready()
  })

  async function endByInactivity() {
    await fixture.session.logOut('inactivity')
    const [message] = fixture.device.broadcasts
    fixture.endings = []
    if (message) second.receiveBroadcast(message)
  }

  it('ends as locked too, so that it says that answers stay locked', async () => {
    await endByInactivity()
    expect(fixture.endings).toEqual(['locked'])
  })

  it('ends once when it was asking whether to lose them', async () => {
    const leaving = other.logOut()
    await expect.poll(() => other.logoutStep()).toBe('asking')
    await endByInactivity()
    await leaving
    expect(fixture.endings).toEqual(['locked'])
    expect(other.state().kind).toBe('signed-out')
  })
})

it.each([
  ['inactivity', true],
  ['asked', undefined],
] as const)(
  'a question about drafts that would be lost ends once when another tab logs out: %s (S85)',
  async (reason, isInactivity) => {
    fixture.deviceUse = { kind: 'shared' }
    fixture.hasUnsentDrafts = true
    await fixture.session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
    const leaving = fixture.session.logOut()
    await expect.poll(() => fixture.session.logoutStep()).toBe('asking')
    fixture.device.receiveBroadcast({ kind: 'logged-out', isInactivity })
    await leaving
    expect([fixture.endings, fixture.logOuts(), fixture.session.logoutStep()]).toEqual([[reason], 0, 'none'])
  },
)

it.each(['finishes writes', 'sends the drafts'])(
  'a log-out also ends the session in the other tabs when the server refuses the session while it %s (D31, S85)',
  async step => {
    fixture.deviceUse = { kind: 'shared' }
    await fixture.session.begin({ token: makeToken() })
    const sessionId = fixture.session.id()
    const second = createFakeDevice()
    const other = fixture.openTab(second)
    await other.begin({ token: makeToken() })
    let finish = doNothing
    const finished = new Promise<void>(resolve => (finish = resolve))
    if (step === 'finishes writes') fixture.writesFinished = finished
    else fixture.draftsSent = finished
    const leaving = fixture.session.logOut()
    await expect
      .poll(() => (step === 'finishes writes' ? fixture.finishedWith : fixture.draftSends).length)
      .toBe(1)
    fixture.refreshAnswer = 'refused'
    await fixture.session.refresh()
    expect(fixture.endings).toEqual(['refused'])
    // The key of the drafts is gone: a draft that this page cannot read counts as unsent.
    fixture.hasUnsentDrafts = true
    finish()
    await expect.poll(() => fixture.session.logoutStep()).toBe('none')
    await leaving
    const broadcast = { kind: 'logged-out', sessionId, lock: 'lock-failed' }
    expect(fixture.device.broadcasts, 'they delete no unsent draft').toEqual([
      expect.objectContaining(broadcast),
    ])
    expect(fixture.endings).toEqual(['refused'])
    const [message] = fixture.device.broadcasts
    if (message) second.receiveBroadcast(message)
    expect(other.state().kind).toBe('signed-out')
    expect(fixture.endings).toEqual(['refused', 'lock-failed'])
  },
)
