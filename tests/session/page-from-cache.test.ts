import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeToken } from '#support/data/access-token.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import { openSessionFixture, type SessionFixture } from './session-fixture.ts'

let fixture: SessionFixture

beforeEach(async () => {
  fixture = await openSessionFixture()
})

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('a session', () => {
  describe('in a page that comes back from the back-forward cache (D31)', () => {
    it('ends when another tab has logged out', async () => {
      const { other } = await fixture.logOutInOneOfTwoTabs()
      expect(other.state().kind).toBe('signed-in')
      fixture.device.goBack()
      expect(other.state().kind).toBe('signed-out')
      // The reason in this tab: `logOutInOneOfTwoTabs` has removed that of the first tab.
      expect(fixture.endings).toEqual(['asked'])
    })

    it('ends on a shared device without clearing it, because the other tab may have kept drafts', async () => {
      fixture.deviceUse = { kind: 'shared' }
      await fixture.session.begin({ token: makeToken() })
      // As another tab does when it ends the session.
      fixture.device.saveText('session-id', undefined)
      fixture.device.goBack()
      expect(fixture.session.state().kind).toBe('signed-out')
      expect(fixture.endings).toEqual(['replaced'])
    })

    it('ends without clearing the device of the next applicant', async () => {
      const { other } = await fixture.logOutInOneOfTwoTabs()
      await fixture.signInElsewhere('ap-2')
      fixture.device.goBack()
      expect(other.state().kind).toBe('signed-out')
      expect(fixture.endings).toEqual(['replaced'])
      expect(fixture.device.readText('session')).toBe('1')
    })

    it('ends, and leaves the session of the next applicant, when it began in an older release and has no id', async () => {
      fixture.device.saveText('session', '1')
      const restored = fixture.openTab()
      expect((await restored.ready()).kind).toBe('signed-in')
      await fixture.signInElsewhere('ap-2')
      fixture.device.goBack()
      expect(restored.state().kind).toBe('signed-out')
      expect(fixture.device.readText('session')).toBe('1')
      expect(fixture.device.readText('session-id')).toBeDefined()
    })

    it('continues when no other page has ended it, also where the browser refuses storage', async () => {
      await fixture.session.begin({ token: makeToken() })
      fixture.device.goBack()
      expect(fixture.session.state().kind).toBe('signed-in')
      const forgetful = { ...createFakeDevice(), saveText: () => undefined, readText: () => undefined }
      const withoutStorage = fixture.openTab(forgetful)
      await withoutStorage.begin({ token: makeToken() })
      forgetful.goBack()
      expect(withoutStorage.state().kind).toBe('signed-in')
      expect(fixture.endings).toEqual([])
    })
  })
})
