import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeToken } from '#support/data/access-token.ts'
import { installFakeFetch } from '#support/providers/fake-fetch.ts'
import { expectRetriesUntilConfirmed, openSessionFixture, type SessionFixture } from './session-fixture.ts'

let fixture: SessionFixture

/** Every later request gets this status. Returns a function that counts these requests. */
function answerWith(status: number): () => number {
  let count = 0
  installFakeFetch(() => ((count += 1), { status, json: { statusCode: status } }))
  return () => count
}

beforeEach(async () => {
  fixture = await openSessionFixture()
})

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('a session', () => {
  it('ends at a log-out, and informs the server and the other tabs (SES12, S85)', async () => {
    await fixture.session.begin({ token: makeToken() })
    await fixture.session.logOut()
    expect(fixture.requests.map(({ url, method }) => `${method} ${url}`)).toEqual([
      'POST /api/v1/refresh-token/logout',
    ])
    expect(fixture.requests[0]?.headers.get('authorization')).toMatch(/^Bearer /)
    expect(fixture.device.broadcasts).toEqual([
      {
        kind: 'logged-out',
        sessionId: expect.any(String),
        applicantId: expect.any(String),
        isInactivity: false,
      },
    ])
    expect(fixture.endings).toEqual(['asked'])
    expect(fixture.session.token()).toBeUndefined()
  })

  it('sends its token with the log-out, because the browser may have lost the cookie (SES12)', async () => {
    const token = makeToken()
    await fixture.session.begin({ token })
    await fixture.session.logOut()
    expect(fixture.requests.map(({ headers }) => headers.get('authorization'))).toEqual([`Bearer ${token}`])
  })

  it('finishes writes with its token, but sends no drafts, at a log-out on the applicant’s own phone', async () => {
    await fixture.session.begin({ token: makeToken() })
    await fixture.session.logOut('inactivity')
    expect(fixture.finishedWith).toEqual([expect.any(String)])
    expect(fixture.draftSends).toEqual([])
  })

  it('stays ended when the applicant logs out during the refresh (SES12, S80)', async () => {
    await fixture.session.begin({ token: makeToken() })
    installFakeFetch(({ url }) => {
      if (!url.endsWith('/refresh-token')) return {}
      void fixture.session.logOut()
      return { json: { data: { token: makeToken() } } }
    })
    await fixture.device.advance(450_000)
    expect(fixture.session.state().kind).toBe('signed-out')
    expect(fixture.session.token()).toBeUndefined()
    expect(fixture.endings).toEqual(['asked'])
  })
})

describe('a log-out that the server has not confirmed (SES12, S80)', () => {
  beforeEach(async () => {
    await fixture.session.begin({ token: makeToken() })
  })

  it.each(['no connection', 'unavailable'] as const)(
    'is retried until the server confirms it: %s',
    async how => {
      fixture.logOutAnswer = how
      await fixture.session.logOut()
      expect(fixture.session.state().kind).toBe('signed-out')
      await expectRetriesUntilConfirmed(fixture)
    },
  )

  it.each([403, 404, 408, 425, 429])(
    'is retried after a response %i, which may be of a proxy (S84, D5)',
    async status => {
      answerWith(status)
      await fixture.session.logOut()
      const retries = answerWith(401)
      await fixture.device.advance(15_000)
      expect(retries()).toBe(1)
      // The session is no more: this refusal confirms the log-out.
      await fixture.device.advance(60_000)
      expect(retries()).toBe(1)
    },
  )

  it('is retried as soon as the connection is back', async () => {
    fixture.logOutAnswer = 'no connection'
    await fixture.session.logOut()
    fixture.logOutAnswer = 'confirmed'
    fixture.device.setOnline(true)
    await expect.poll(() => fixture.logOuts()).toBe(2)
  })

  it('is sent by the next page that starts, which does not restore the session from its cookie', async () => {
    fixture.logOutAnswer = 'no connection'
    await fixture.session.logOut()
    // The browser restores the tab storage of a tab that it reopens.
    fixture.device.saveTabText('session', '1')
    const restarted = fixture.openTab()
    expect((await restarted.ready()).kind).toBe('signed-out')
    await expect.poll(() => fixture.logOuts()).toBe(2)
    expect(fixture.requests.some(({ url }) => url.endsWith('/refresh-token'))).toBe(false)
  })

  it('is not retried after another applicant has signed in, and leaves that session open', async () => {
    fixture.logOutAnswer = 'hangs'
    void fixture.session.logOut()
    await expect.poll(() => fixture.logOuts()).toBe(1)
    const release = fixture.session.holdForSignIn()
    expect(await fixture.session.begin({ token: makeToken({ applicantId: 'ap-2' }) })).toBe(true)
    release()
    const before = fixture.logOuts()
    await fixture.device.advance(60_000)
    expect(fixture.logOuts()).toBe(before)
    expect(fixture.session.state()).toMatchObject({ kind: 'signed-in', claims: { applicantId: 'ap-2' } })
  })

  it('is not sent during a sign-in, because the answer to the log-out would delete the new cookie', async () => {
    fixture.logOutAnswer = 'no connection'
    await fixture.session.logOut()
    const before = fixture.logOuts()
    const release = fixture.session.holdForSignIn()
    await fixture.device.advance(29_000)
    fixture.device.setOnline(true)
    await fixture.device.advance(0)
    expect(fixture.logOuts()).toBe(before)
    // The sign-in has failed: the server refused the code.
    release()
    await fixture.device.advance(15_000)
    expect(fixture.logOuts()).toBe(before + 1)
  })

  it('is aborted when another tab signs in, and waits for the end of that sign-in', async () => {
    fixture.logOutAnswer = 'hangs'
    void fixture.session.logOut()
    await expect.poll(() => fixture.logOuts()).toBe(1)
    const other = fixture.openTab({
      ...fixture.device,
      broadcast: message => fixture.device.receiveBroadcast(message),
    })
    // Its start repeats the log-out.
    await expect.poll(() => fixture.logOuts()).toBe(2)
    const release = other.holdForSignIn()
    const isAborted = fixture.requests
      .filter(({ url }) => url.endsWith('/logout'))
      .map(({ signal }) => signal?.aborted)
    expect(isAborted).toEqual([true, true])
    await fixture.device.advance(60_000)
    fixture.device.setOnline(true)
    await fixture.device.advance(0)
    expect(fixture.logOuts()).toBe(2)
    // The sign-in has failed: the cookie is still that of the session that was left.
    release()
    fixture.logOutAnswer = 'confirmed'
    await fixture.device.advance(30_000)
    expect(fixture.logOuts()).toBeGreaterThan(2)
  })

  it('is aborted when another tab completes the sign-in during which the log-out began', async () => {
    const other = fixture.openTab({
      ...fixture.device,
      broadcast: message => fixture.device.receiveBroadcast(message),
    })
    const release = other.holdForSignIn()
    fixture.logOutAnswer = 'hangs'
    void fixture.session.logOut()
    await expect.poll(() => fixture.logOuts()).toBe(1)
    expect(await other.begin({ token: makeToken({ applicantId: 'ap-2' }) })).toBe(true)
    release()
    expect(fixture.requests.find(({ url }) => url.endsWith('/logout'))?.signal?.aborted).toBe(true)
    await fixture.device.advance(60_000)
    expect(fixture.logOuts()).toBe(1)
  })

  it('is not sent by a page that starts while another tab signs in', async () => {
    fixture.logOutAnswer = 'no connection'
    await fixture.session.logOut()
    const before = fixture.logOuts()
    const release = fixture.session.holdForSignIn()
    fixture.openTab()
    await fixture.device.advance(60_000)
    expect(fixture.logOuts()).toBe(before)
    expect(await fixture.session.begin({ token: makeToken({ applicantId: 'ap-2' }) })).toBe(true)
    release()
    await fixture.device.advance(60_000)
    expect(fixture.logOuts()).toBe(before)
  })

  it('is also sent by a page that finds at its start that the session has timed out offline', async () => {
    await fixture.session.begin({ token: makeToken({ inactivity: 900 }) })
    fixture.refreshAnswer = 'no connection'
    fixture.logOutAnswer = 'no connection'
    fixture.device.sleep(901_000)
    const restarted = fixture.openTab()
    expect((await restarted.ready()).kind).toBe('signed-out')
    fixture.logOutAnswer = 'confirmed'
    await fixture.device.advance(15_000)
    expect(fixture.logOuts()).toBe(2)
  })
})

it('a log-out whose session the server refuses does not end the session that another tab has begun since (D31)', async () => {
  await fixture.session.begin({ token: makeToken({ applicantId: 'ada' }) })
  const finish = fixture.holdWrites()
  const leaving = fixture.session.logOut()
  await expect.poll(() => fixture.finishedWith.length).toBe(1)
  fixture.refreshAnswer = 'refused'
  await fixture.session.refresh()
  await fixture.signInElsewhere('ben')
  finish()
  await leaving
  expect(fixture.device.broadcasts).toEqual([])
})

it('a log-out during which the next applicant signs in on this page sends no broadcast to the other tabs (D31)', async () => {
  await fixture.session.begin({ token: makeToken({ applicantId: 'ada' }) })
  const finish = fixture.holdWrites()
  const leaving = fixture.session.logOut()
  await expect.poll(() => fixture.finishedWith.length).toBe(1)
  await fixture.session.begin({ token: makeToken({ applicantId: 'ben' }) })
  finish()
  await leaving
  expect([fixture.session.signedInId(), fixture.device.broadcasts]).toEqual(['ben', []])
})
