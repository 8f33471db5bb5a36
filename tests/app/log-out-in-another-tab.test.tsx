// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { createNotices, type Notices } from '#app/notices.ts'
import { showEndNotice } from '#app/on-session-end.ts'
import { newDraft } from '#store/draft.ts'
import { readStartParameters } from '#store/device-use.ts'
import { makeToken } from '#support/data/access-token.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { createFakeDevice } from '#support/providers/fake-device.ts'

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
  return keyOf(portal.notices)
}

function keyOf(notices: Notices) {
  const message = notices.state().last?.message
  return message && 'key' in message ? message.key : undefined
}

/** Returns the notice of the page that a shared device loads at this address. */
function readNoticeAt(address: string | undefined) {
  const device = createFakeDevice()
  for (const [name, value] of new URL(address ?? '', 'http://portal.test').searchParams)
    device.urlParameters.set(name, value)
  const notices = createNotices(device)
  const { left } = readStartParameters(device)
  if (left) showEndNotice(notices, left, true)
  return keyOf(notices)
}

describe('a tab whose session ends because another tab logs out', () => {
  it('says that the applicant is logged out (S85)', async () => {
    portal = await openPortal({ path: '/procedure' })
    await portal.heading(t('procedure.heading'))
    logOutElsewhere(portal.services.session.id())
    expect(await readNotice()).toBe('notice.loggedOut')
  })

  it('says that the applicant is logged out when it has just signed in itself, and the other tab has an older session (S85)', async () => {
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

  it('says in the new document of a shared device that the applicant is logged out and the screen is cleared (D31)', async () => {
    portal = await openPortal({ path: '/procedure', texts: { 'device-use': 'shared' } })
    await portal.heading(t('procedure.heading'))
    logOutElsewhere(portal.services.session.id())
    await portal.see(() => expect(portal.device.openedAddresses).toEqual(['/?lg=fr&shared=1&left=asked']))
    expect(readNoticeAt(portal.device.openedAddresses[0])).toBe('notice.loggedOutErased')
  })

  it('says in the new document of a shared device that the screen is cleared, when a sign-in in another tab has followed (D31)', async () => {
    portal = await openPortal({ path: '/procedure', texts: { 'device-use': 'shared' } })
    await portal.heading(t('procedure.heading'))
    const ownId = portal.services.session.id()
    portal.device.saveText('session-id', 'a newer session')
    logOutElsewhere(ownId)
    await portal.see(() => expect(portal.device.openedAddresses).toHaveLength(1))
    expect(readNoticeAt(portal.device.openedAddresses[0])).toBe('notice.erased')
  })
})

/**
 * The other tab has kept the draft. On a shared device that happens when the server has refused the session, or when the
 * storage has not marked the draft in time as one to keep for its applicant (`lock-failed`).
 */
async function comeBack() {
  await portal.store.drafts.update('app-1', () => newDraft({ values: firstPassport, tab: 'NicData' }))
  portal.device.saveText('session-id', undefined)
  portal.device.goBack()
}

describe('a page that was in the back-forward cache when another tab ended the session', () => {
  it('deletes no draft that the other tab has kept on a shared device, and shows nothing of it (D31)', async () => {
    portal = await openPortal({ path: '/procedure', texts: { 'device-use': 'shared' } })
    await portal.heading(t('procedure.heading'))
    await comeBack()
    const { applicant, device, services, store } = portal
    await portal.see(() => expect(device.openedAddresses).toHaveLength(1))
    expect(services.session.state().kind).toBe('signed-out')
    expect(await store.drafts.all()).toEqual([])
    const token = makeToken({ applicantId: applicant })
    await services.session.begin({ token, draftKey: `secret of ${applicant}` })
    expect((await store.drafts.read('app-1'))?.values.surname).toBe(firstPassport.surname)
    expect(readNoticeAt(device.openedAddresses[0])).toBe('notice.erased')
  })

  it("says on the applicant's own device that the applicant is logged out, and keeps the draft (S85)", async () => {
    portal = await openPortal({ path: '/procedure' })
    await portal.heading(t('procedure.heading'))
    await comeBack()
    expect(await readNotice()).toBe('notice.loggedOut')
    expect(await portal.store.drafts.all()).toEqual([])
    const { applicant, services, store } = portal
    const token = makeToken({ applicantId: applicant })
    await services.session.begin({ token, draftKey: `secret of ${applicant}` })
    expect((await store.drafts.read('app-1'))?.values.surname).toBe(firstPassport.surname)
  })
})
