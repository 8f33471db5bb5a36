import { EventEmitter, once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
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

describe('a session', () => {
  it('unlocks the store again when the same applicant signs in after a log-out (D31)', async () => {
    await fixture.session.begin({ token: makeToken() })
    await fixture.session.logOut()
    await fixture.session.begin({ token: makeToken() })
    expect(fixture.unlockCount).toBe(2)
  })

  it('stays ended when the applicant logs out while the store is being unlocked (SES12, D31)', async () => {
    const steps: string[] = []
    const store = new EventEmitter()
    const slow = fixture.openTab(fixture.device, {
      async onOpen() {
        store.emit('opening')
        await once(store, 'ready')
        steps.push('opened')
      },
    })
    const opening = once(store, 'opening')
    const beginning = slow.begin({ token: makeToken() })
    await opening
    const leaving = slow.logOut()
    store.emit('ready')
    expect(await beginning).toBe(false)
    await leaving
    expect(slow.state().kind).toBe('signed-out')
    expect([...steps, ...fixture.endings]).toEqual(['opened', 'asked'])
  })

  it('begins although the store cannot be unlocked', async () => {
    const withoutStore = fixture.openTab(fixture.device, {
      onOpen: () => Promise.reject(new Error('no storage')),
    })
    expect(await withoutStore.begin({ token: makeToken(), draftKey: 'secret' })).toBe(true)
    expect(withoutStore.state().kind).toBe('signed-in')
  })

  describe('that takes the token after a change of the account', () => {
    it.each([
      ['keeps the open store with the same keys', 'secret', 1],
      ['unlocks the store with other keys', 'other', 2],
    ])('%s (D110)', async (_, draftKey, count) => {
      const onOpen = vi.fn(async () => {})
      const opened = fixture.openTab(fixture.device, { onOpen })
      await opened.begin({ token: makeToken(), draftKey: 'secret' })
      expect(await opened.takeToken({ token: makeToken(), draftKey })).toBe(true)
      expect(onOpen).toHaveBeenCalledTimes(count)
    })

    it('stays the session that it was when another applicant has signed in in another tab (D31)', async () => {
      await fixture.session.begin({ token: makeToken() })
      const id = fixture.session.id()
      await fixture.signInElsewhere('ap-2')
      expect(await fixture.session.takeToken({ token: makeToken() })).toBe(true)
      expect(fixture.session.id()).toBe(id)
    })

    it('does not open again after a log-out', async () => {
      await fixture.session.begin({ token: makeToken() })
      await fixture.session.logOut()
      expect(await fixture.session.takeToken({ token: makeToken() })).toBe(false)
      expect(fixture.session.state().kind).toBe('signed-out')
    })
  })

  it('of another applicant on this page opens also when the store fails at the end of the earlier one (S50)', async () => {
    const page = fixture.openTab(fixture.device, { onEnd: () => Promise.reject(new Error('no storage')) })
    await page.begin({ token: makeToken() })
    expect(await page.begin({ token: makeToken({ applicantId: 'other' }) })).toBe(true)
    expect(page.signedInId()).toBe('other')
  })

  it('calls the hook of the end at once when the applicant logs out while the store is being unlocked (D31)', async () => {
    const steps: string[] = []
    let unlock = doNothing
    const slow = fixture.openTab(fixture.device, {
      async onOpen() {
        await new Promise<void>(resolve => (unlock = resolve))
        steps.push('opened')
      },
      async onEnd(opened) {
        steps.push('ended')
        await opened
        steps.push('closed')
      },
    })
    const beginning = slow.begin({ token: makeToken() })
    await expect.poll(() => unlock).not.toBe(doNothing)
    const leaving = slow.logOut()
    await expect.poll(() => steps).toEqual(['ended'])
    unlock()
    await Promise.all([beginning, leaving])
    expect(steps).toEqual(['ended', 'opened', 'closed'])
  })

  it('unlocks the store for the next applicant only after it was locked for the previous one', async () => {
    const steps: string[] = []
    let close = doNothing
    const slow = fixture.openTab(fixture.device, {
      onOpen: async () => void steps.push('opened'),
      async onEnd() {
        await new Promise<void>(resolve => (close = resolve))
        steps.push('closed')
      },
    })
    await slow.begin({ token: makeToken() })
    const leaving = slow.logOut()
    await expect.poll(() => slow.state().kind).toBe('signed-out')
    const beginning = slow.begin({ token: makeToken({ applicantId: 'ap-2' }) })
    close()
    await Promise.all([leaving, beginning])
    expect(steps).toEqual(['opened', 'closed', 'opened'])
    expect(slow.state()).toMatchObject({ kind: 'signed-in', claims: { applicantId: 'ap-2' } })
  })
})
