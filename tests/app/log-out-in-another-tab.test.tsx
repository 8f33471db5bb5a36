// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { makeToken } from '#support/data/access-token.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

/** The other tab logs out; it has the session with this id. */
function logOutElsewhere(sessionId: string | undefined) {
  portal.device.receiveBroadcast({ kind: 'logged-out', sessionId, applicantId: portal.applicant })
}

/** What the applicant reads on the welcome page. */
async function readNotice() {
  await portal.heading(t('welcome.heading'))
  const message = portal.notices.state().last?.message
  return message && 'key' in message ? message.key : undefined
}

describe('a tab whose session ends because another tab logs out', () => {
  it('says that the applicant is logged out (S85)', async () => {
    portal = await openPortal({ path: '/procedure' })
    await portal.heading(t('procedure.heading'))
    logOutElsewhere(portal.services.session.id())
    expect(await readNotice()).toBe('notice.loggedOut')
  })

  it('says so when its own sign-in has just ended, and the other tab has an older session (S85)', async () => {
    portal = await openPortal({ path: '/procedure' })
    const { session } = portal.services
    const olderId = session.id()
    await session.logOut()
    portal.notices.dismiss()
    await session.begin({ token: makeToken({ applicantId: portal.applicant }), draftKey: 'secret' })
    await portal.router.navigate({ to: '/procedure' })
    await portal.heading(t('procedure.heading'))
    expect(session.id()).not.toBe(olderId)
    logOutElsewhere(olderId)
    expect(await readNotice()).toBe('notice.loggedOut')
  })

  it('asks to sign in when a sign-in in another tab has followed (NAV03, S85)', async () => {
    portal = await openPortal({ path: '/procedure' })
    await portal.heading(t('procedure.heading'))
    const ownId = portal.services.session.id()
    portal.device.saveText('session-id', 'a newer session')
    logOutElsewhere(ownId)
    expect(await readNotice()).toBe('notice.signIn')
  })

  it('says so in the new document of a shared device (D31)', async () => {
    portal = await openPortal({ path: '/procedure', texts: { 'device-use': 'shared' } })
    await portal.heading(t('procedure.heading'))
    logOutElsewhere(portal.services.session.id())
    await portal.see(() => expect(portal.device.replacedPages).toEqual(['/?lg=fr&shared=1&left=asked']))
  })
})
