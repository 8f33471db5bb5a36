import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sharedDeviceHeader } from '#contract/codes.ts'
import { doNothing } from '#device/do-nothing.ts'
import { makeToken } from '#support/data/access-token.ts'
import { openSessionFixture, type SessionFixture } from './session-fixture.ts'

let fixture: SessionFixture

beforeEach(async () => {
  fixture = await openSessionFixture()
})

afterEach(() => {
  vi.unstubAllGlobals()
})

/**
 * Whether the log-out request asks for an answer that makes the browser delete all data of the portal. If not, the portal
 * deletes only the rows that are not locked. Undefined when no log-out was sent.
 */
function asksToDeleteAll(): boolean | undefined {
  return fixture.requests.find(({ url }) => url.endsWith('/logout'))?.headers.has(sharedDeviceHeader)
}

describe('unsent drafts at a log-out from a shared device (D31)', () => {
  let leaving: Promise<void>

  beforeEach(async () => {
    fixture.deviceUse = { kind: 'shared' }
    fixture.hasUnsentDrafts = true
    await fixture.session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
    leaving = fixture.session.logOut()
    await expect.poll(() => fixture.session.logoutStep()).toBe('asking')
    expect(fixture.endings).toEqual([])
  })

  it('stay when the applicant cancels the log-out', async () => {
    fixture.session.answerLogout(false)
    await leaving
    expect([fixture.session.logoutStep(), fixture.session.state().kind, fixture.endings]).toEqual([
      'none',
      'signed-in',
      [],
    ])
    expect(fixture.requests).toEqual([])
    fixture.hasUnsentDrafts = false
    await fixture.session.logOut()
    expect(fixture.endings).toEqual(['asked'])
  })

  it('are not locked when the applicant confirms, and the request asks the server to make the browser delete them', async () => {
    fixture.session.answerLogout(true)
    await leaving
    expect([fixture.endings, fixture.hasLockedDrafts]).toEqual([['asked'], false])
    expect(asksToDeleteAll()).toBe(true)
  })

  it('are locked when the session times out during the question', async () => {
    await fixture.session.logOut('inactivity')
    await leaving
    expect([fixture.endings, fixture.hasLockedDrafts]).toEqual([['locked'], true])
    expect(fixture.session.state().kind).toBe('signed-out')
  })
})

describe('a session that times out during the question about drafts that would be lost (SES11, D31)', () => {
  it.each([
    ['the drafts were sent since', { draftKey: 'secret' }],
    ['the sign-in had no draft key, with which the next sign-in could unlock them', {}],
  ])('ends for inactivity when it locks nothing: %s', async (_, keys) => {
    fixture.deviceUse = { kind: 'shared' }
    fixture.hasUnsentDrafts = true
    await fixture.session.begin({ token: makeToken({ inactivity: 900 }), ...keys })
    const leaving = fixture.session.logOut()
    await expect.poll(() => fixture.session.logoutStep()).toBe('asking')
    fixture.hasUnsentDrafts = !('draftKey' in keys)
    await fixture.session.logOut('inactivity')
    await leaving
    expect([fixture.endings, fixture.hasLockedDrafts]).toEqual([['inactivity'], false])
  })
})

describe('the end of a session on a shared device, for drafts that could not be sent (D31)', () => {
  beforeEach(async () => {
    fixture.deviceUse = { kind: 'shared' }
    await fixture.session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
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
    fixture.hasUnsentDrafts = unsent
    fixture.hasLockedDrafts = others
    await fixture.session.logOut(reason)
    expect([fixture.endings, fixture.hasLockedDrafts]).toEqual([[ending], unsent || others])
    expect(asksToDeleteAll()).toBe(!unsent && !others)
  })

  it('locks no drafts after inactivity when the sign-in had no draft key, with which the next sign-in could unlock them (D67)', async () => {
    await fixture.session.begin({ token: makeToken({ inactivity: 900 }) })
    fixture.hasUnsentDrafts = true
    expect(fixture.session.canLockDrafts()).toBe(false)
    await fixture.session.logOut('inactivity')
    expect([fixture.endings, fixture.hasLockedDrafts]).toEqual([['inactivity'], false])
  })
})

it('keeps the unsent drafts when the server refuses the session while a log-out by inactivity locks them (D31)', async () => {
  fixture.deviceUse = { kind: 'shared' }
  fixture.hasUnsentDrafts = true
  await fixture.session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
  let finish = doNothing
  fixture.unsentLocked = new Promise<void>(resolve => (finish = resolve))
  const leaving = fixture.session.logOut('inactivity')
  await expect.poll(() => fixture.locks).toEqual(['unsent'])
  fixture.refreshAnswer = 'refused'
  await fixture.session.refresh()
  expect(fixture.endings).toEqual(['refused'])
  finish()
  await leaving
  expect(fixture.endings, 'an end by inactivity would delete the drafts').toEqual(['refused'])
  // With `lock-failed` the other tabs, which still show the session, delete no draft either.
  expect(fixture.device.broadcasts).toEqual([
    expect.objectContaining({ kind: 'logged-out', lock: 'lock-failed' }),
  ])
})

it('closes the question about the drafts when the server refuses the session (D31)', async () => {
  fixture.deviceUse = { kind: 'shared' }
  fixture.hasUnsentDrafts = true
  await fixture.session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
  const leaving = fixture.session.logOut()
  await expect.poll(() => fixture.session.logoutStep()).toBe('asking')
  fixture.refreshAnswer = 'refused'
  await fixture.session.refresh()
  await expect.poll(() => fixture.session.logoutStep()).toBe('none')
  fixture.session.answerLogout(true)
  await leaving
  expect(fixture.endings, 'the next person could wipe the device').toEqual(['refused'])
})

it('closes the question about the drafts when another applicant signs in on the page, and keeps that session (D31)', async () => {
  fixture.deviceUse = { kind: 'shared' }
  fixture.hasUnsentDrafts = true
  await fixture.session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
  const leaving = fixture.session.logOut()
  await expect.poll(() => fixture.session.logoutStep()).toBe('asking')
  // The sign-in had begun before the log-out. It ends the first session with `refused`, which deletes no draft.
  await fixture.session.begin({ token: makeToken({ applicantId: 'ap-2' }), draftKey: 'other secret' })
  fixture.session.answerLogout(true)
  await leaving
  expect(fixture.endings, 'an answer about other drafts would delete those of the next applicant').toEqual([
    'refused',
  ])
  expect(fixture.session.signedInId()).toBe('ap-2')
})

it('keeps the session of another applicant who signs in on the page while a log-out waits for the storage (D31)', async () => {
  fixture.deviceUse = { kind: 'shared' }
  let finish = doNothing
  fixture.othersLocked = new Promise<void>(resolve => (finish = resolve))
  await fixture.session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
  const leaving = fixture.session.logOut()
  await expect.poll(() => fixture.locks).toEqual(['others'])
  // The sign-in had begun before the log-out. It ends the first session with `refused`, which deletes no draft.
  await fixture.session.begin({ token: makeToken({ applicantId: 'ap-2' }), draftKey: 'other secret' })
  finish()
  await leaving
  expect(fixture.endings, 'the log-out would delete the drafts of the next applicant').toEqual(['refused'])
  expect(fixture.session.signedInId()).toBe('ap-2')
})

it('opens no question about the drafts of a session that the server has refused (D31)', async () => {
  fixture.deviceUse = { kind: 'shared' }
  fixture.hasUnsentDrafts = true
  await fixture.session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
  let find = doNothing
  fixture.unsentFound = new Promise<void>(resolve => (find = resolve))
  const leaving = fixture.session.logOut()
  await expect.poll(() => fixture.finds).toBe(1)
  fixture.refreshAnswer = 'refused'
  await fixture.session.refresh()
  const steps: string[] = []
  fixture.session.subscribe(() => void steps.push(fixture.session.logoutStep()))
  find()
  await expect.poll(() => steps.length).toBeGreaterThan(0)
  expect(steps).toEqual(['none'])
  await leaving
  expect(fixture.endings).toEqual(['refused'])
})

it('can lock drafts also after a refresh without a draft key, which has not changed it (D31)', async () => {
  fixture.deviceUse = { kind: 'shared' }
  await fixture.session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
  expect(await fixture.session.refresh()).toBe(true)
  expect(fixture.session.canLockDrafts()).toBe(true)
  fixture.hasUnsentDrafts = true
  await fixture.session.logOut('inactivity')
  expect([fixture.endings, fixture.hasLockedDrafts]).toEqual([['locked'], true])
  await fixture.session.begin({ token: makeToken({ inactivity: 900 }) })
  expect(fixture.session.canLockDrafts()).toBe(false)
})
