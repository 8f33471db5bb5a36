import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { doNothing } from '#device/do-nothing.ts'
import { pendingEraseKey } from '#store/device-use.ts'
import { makeToken } from '#support/data/access-token.ts'
import { eventually } from '#support/eventually.ts'
import { installFakeFetch } from '#support/providers/fake-fetch.ts'
import { openSessionFixture, type SessionFixture } from './session-fixture.ts'

let fixture: SessionFixture

beforeEach(async () => {
  fixture = await openSessionFixture()
})

afterEach(() => {
  vi.unstubAllGlobals()
})

function answerDeleted() {
  const json = { statusCode: 401, message: 'no', reason: 'account-deleted' }
  installFakeFetch(() => ({ status: 401, json }))
}

describe('a session', () => {
  it('asks for no deletion of rows when the deleted account is that of another applicant, who signed in in another tab (D112)', async () => {
    await fixture.session.begin({ token: makeToken() })
    await fixture.signInElsewhere('ap-2')
    answerDeleted()
    await fixture.device.advance(450_000)
    expect(fixture.endings).toEqual(['refused'])
    expect(fixture.device.readText(pendingEraseKey)).toBeUndefined()
  })

  it('ends as deleted when the applicant has deleted the account on another device (D112)', async () => {
    await fixture.session.begin({ token: makeToken() })
    answerDeleted()
    await fixture.device.advance(450_000)
    expect(fixture.endings).toEqual(['account-deleted'])
  })

  it('saves the id of the session of a deleted account before it removes the flag, so that a later page can erase the rows (D112)', async () => {
    await fixture.session.begin({ token: makeToken() })
    const id = fixture.session.id()
    const saveText = fixture.device.saveText.bind(fixture.device)
    const flags: (string | undefined)[] = []
    fixture.device.saveText = (key, text) => {
      if (key === pendingEraseKey) flags.push(fixture.device.readText('session'))
      saveText(key, text)
    }
    answerDeleted()
    await fixture.device.advance(450_000)
    expect(flags).toEqual(['1'])
    expect(id).toBeDefined()
    expect(fixture.device.readText(pendingEraseKey)).toBe(id)
    expect(fixture.device.readText('session')).toBeUndefined()
  })

  it('keeps the applicants that are still to be erased when an account is deleted (D31, D112)', async () => {
    fixture.device.saveText(pendingEraseKey, 'applicant ap-2')
    await fixture.session.begin({ token: makeToken() })
    answerDeleted()
    await fixture.device.advance(450_000)
    expect(fixture.device.readText(pendingEraseKey)).toBe(`applicant ap-2\n${fixture.session.id()}`)
  })

  it('asks for no deletion of rows when the server only refuses the session (D112)', async () => {
    await fixture.session.begin({ token: makeToken() })
    fixture.refreshAnswer = 'refused'
    await fixture.device.advance(450_000)
    expect(fixture.endings).toEqual(['refused'])
    expect(fixture.device.readText(pendingEraseKey)).toBeUndefined()
  })
})

it('remembers that the rows of a deleted account are to be erased also when another tab logs out at the same moment (D112, S85)', async () => {
  await fixture.session.begin({ token: makeToken() })
  const sessionId = fixture.session.id()
  const finish = fixture.holdWrites()
  const leaving = fixture.session.logOut('account-deleted')
  await expect.poll(() => fixture.finishedWith.length).toBe(1)
  fixture.device.receiveBroadcast({ kind: 'logged-out', sessionId })
  expect(fixture.endings).toEqual(['asked'])
  expect(
    fixture.device.readText(pendingEraseKey),
    'so the row of the key stays, which names the applicant',
  ).toBe(sessionId)
  finish()
  await leaving
  expect(fixture.device.readText(pendingEraseKey)).toBe(sessionId)
})

it.each([
  ['finishes writes on an own device', 'own', false],
  ['sends the unsent drafts of a shared device', 'shared', false],
  ['asks about the unsent drafts of a shared device', 'shared', true],
] as const)(
  'a log-out ends as that of a deleted account when the deletion is answered while the log-out %s (D112)',
  async (_, kind, isAsking) => {
    fixture.deviceUse = { kind }
    fixture.hasUnsentDrafts = kind === 'shared'
    await fixture.session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
    const sessionId = fixture.session.id()
    let finish = doNothing
    const finished = new Promise<void>(resolve => (finish = resolve))
    if (kind === 'own') fixture.writesFinished = finished
    else if (!isAsking) fixture.draftsSent = finished
    const leaving = fixture.session.logOut()
    if (isAsking) await expect.poll(() => fixture.session.logoutStep()).toBe('asking')
    else await expect.poll(() => (kind === 'own' ? fixture.finishedWith : fixture.draftSends).length).toBe(1)
    const deleted = fixture.session.logOut('account-deleted')
    expect(fixture.device.readText(pendingEraseKey)).toBe(sessionId)
    finish()
    await eventually(() => expect(fixture.session.state().kind).toBe('signed-out'))
    await Promise.all([leaving, deleted])
    expect(fixture.endings).toEqual(['account-deleted'])
    expect(fixture.device.broadcasts).toEqual([
      expect.objectContaining({ kind: 'logged-out', isDeleted: true }),
    ])
    expect(fixture.hasLockedDrafts).toBe(false)
  },
)

it.each(['unsent', 'others'] as const)(
  'a log-out by inactivity ends as that of a deleted account when the deletion is answered while it locks drafts on a shared device: %s (D112)',
  async whose => {
    fixture.deviceUse = { kind: 'shared' }
    fixture.hasUnsentDrafts = true
    await fixture.session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
    let finish = doNothing
    const finished = new Promise<void>(resolve => (finish = resolve))
    if (whose === 'unsent') fixture.unsentLocked = finished
    else fixture.othersLocked = finished
    const leaving = fixture.session.logOut('inactivity')
    await expect.poll(() => fixture.locks.at(-1)).toBe(whose)
    const deleted = fixture.session.logOut('account-deleted')
    finish()
    await eventually(() => expect(fixture.session.state().kind).toBe('signed-out'))
    await Promise.all([leaving, deleted])
    expect(fixture.endings).toEqual(['account-deleted'])
    expect(fixture.device.broadcasts).toEqual([
      expect.objectContaining({ kind: 'logged-out', isDeleted: true }),
    ])
    expect(fixture.device.broadcasts[0]).toMatchObject({ lock: undefined })
    expect(fixture.device.readText(pendingEraseKey)).toBe(fixture.session.id())
  },
)

it('tells the other tabs that the account is deleted when a refresh learns it during a log-out (D112)', async () => {
  await fixture.session.begin({ token: makeToken() })
  const finish = fixture.holdWrites()
  const leaving = fixture.session.logOut()
  await expect.poll(() => fixture.finishedWith.length).toBe(1)
  answerDeleted()
  await fixture.session.refresh()
  finish()
  await leaving
  expect(fixture.endings).toEqual(['account-deleted'])
  expect(fixture.device.broadcasts).toEqual([
    expect.objectContaining({ kind: 'logged-out', isDeleted: true }),
  ])
})

it('ends once when the server tells of the deletion of the account during the question about drafts (D112)', async () => {
  fixture.deviceUse = { kind: 'shared' }
  fixture.hasUnsentDrafts = true
  await fixture.session.begin({ token: makeToken({ inactivity: 900 }), draftKey: 'secret' })
  const leaving = fixture.session.logOut()
  await expect.poll(() => fixture.session.logoutStep()).toBe('asking')
  answerDeleted()
  await fixture.session.refresh()
  await leaving
  expect([fixture.endings, fixture.session.logoutStep()]).toEqual([['account-deleted'], 'none'])
  expect(fixture.device.broadcasts).toEqual([
    expect.objectContaining({ kind: 'logged-out', isDeleted: true }),
  ])
})
