// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { doNothing } from '#device/do-nothing.ts'
import { makeToken } from '#support/data/access-token.ts'
import { newDraft } from '#store/draft.ts'
import { minorWithRepresentative } from '#support/data/applicants.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { textsOf } from '#support/data/texts.ts'
import { settle } from '#support/settle.ts'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

type Deletion = 'done' | 'refused' | 'no connection'

/** Opens the list with one draft, and presses Delete on its card. The answer of the server waits for `answerDeletion`. */
async function pressDelete() {
  let answerDeletion: (how: Deletion) => void = doNothing
  const answered = new Promise<Deletion>(resolve => (answerDeletion = resolve))
  let currentState = 'NEW'
  portal = await openPortal({
    path: '/procedure',
    answer({ url, method }) {
      const path = new URL(url, 'http://portal.test').pathname.replace('/api/v1', '')
      const features = ['deleteApplication']
      if (path === '/version')
        return { json: { data: { version: '1', time: '2026-06-15T09:00:00Z', features } } }
      if (path === '/applications' && method === 'GET')
        return { json: { data: [{ id: 'app-1', applicationNumber: 'PP-1', currentState }] } }
      if (path !== '/applications/app-1/delete') return undefined
      return answered.then(how => {
        if (how === 'no connection') return how
        if (how === 'refused')
          return { status: 409, json: { statusCode: 409, data: { statusCode: 409 }, reason: 'wrong-state' } }
        currentState = 'DELETED'
        return { json: { data: { currentState } } }
      })
    },
  })
  const draft = newDraft({ values: minorWithRepresentative, tab: 'ParentData' })
  await portal.store.drafts.update('app-1', () => draft)
  await portal.see(() => expect(labelled('procedure.delete')).toBeDefined())
  labelled('procedure.delete')?.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 }))
  await portal.see(() => expect(labelled('procedure.undo')).toBeDefined())
  return { answerDeletion: (how: Deletion) => answerDeletion(how) }
}

const labelled = (key: Parameters<typeof t>[0]) =>
  [...portal.main().querySelectorAll('button')].find(each => each.textContent.startsWith(t(key)))
const deletions = () => portal.requests.filter(({ url }) => url.endsWith('/applications/app-1/delete'))
const lastNotice = () => portal.notices.state().last?.message

describe('a deletion that can still be undone when the session ends', () => {
  it('is sent with the token when the applicant is inactive (LST11)', async () => {
    const { answerDeletion } = await pressDelete()
    const loggedOut = portal.services.session.logOut('inactivity')
    await portal.see(() => expect(deletions()).toHaveLength(1))
    expect(deletions()[0]?.headers.get('authorization')).toContain('Bearer')
    answerDeletion('done')
    await loggedOut
    await portal.see(() => expect(location.pathname).toBe('/'))
    expect(lastNotice()).toEqual({ key: 'notice.loggedOutIdle' })
  })

  it.each(['asked', 'inactivity'] as const)(
    'is reported as not done when it fails at a log-out: %s (LST11)',
    async reason => {
      const { answerDeletion } = await pressDelete()
      answerDeletion('no connection')
      if (reason === 'asked') portal.button(t('button.logOut')).click()
      else await portal.services.session.logOut(reason)
      await portal.see(() => expect(location.pathname).toBe('/'))
      await portal.see(() => expect(lastNotice()).toEqual({ key: 'procedure.notDeleted' }))
    },
  )
})

describe('a deletion that is answered when the next applicant has signed in', () => {
  it.each(['done', 'refused', 'no connection'] as const)(
    'says and saves nothing under their session: %s (LST11, D31)',
    async how => {
      const { answerDeletion } = await pressDelete()
      await changeApplicant()
      answerDeletion(how)
      await settle()
      expect(deletions()).toHaveLength(1)
      expect(lastNotice()).toBeUndefined()
      expect(await portal.store.responses.namesWith('deleted ')).toEqual([])
    },
  )
})

describe('a deletion on a slow device, on which the next applicant signs in', () => {
  it('is not sent under their session (LST11, D31)', async () => {
    await pressDelete()
    const { sync } = portal.services
    let finishRead = doNothing
    const read = new Promise<string>(resolve => (finishRead = () => resolve('app-1')))
    vi.spyOn(sync, 'resolveId').mockReturnValueOnce(read)
    await changeApplicant()
    finishRead()
    await settle()
    expect(deletions()).toEqual([])
  })

  it('says nothing under their session when its request is saved late (LST15, D31)', async () => {
    const { answerDeletion } = await pressDelete()
    const { deletionRequests } = portal.store
    let finishWrite = doNothing
    const written = new Promise<void>(resolve => (finishWrite = resolve))
    vi.spyOn(deletionRequests, 'remove').mockReturnValueOnce(written)
    answerDeletion('refused')
    await changeApplicant()
    finishWrite()
    await settle()
    expect(deletions()).toHaveLength(1)
    expect(lastNotice()).toBeUndefined()
  })
})

/** The applicant logs out, and the next one signs in. The log-out does not wait for long for a deletion. */
async function changeApplicant() {
  const leaving = portal.services.session.logOut()
  await portal.seeAsTimePasses(() => expect(location.pathname).toBe('/'))
  await leaving
  const applicantId = crypto.randomUUID()
  await portal.services.session.begin({ token: makeToken({ applicantId }), draftKey: 'of the next' })
  portal.notices.dismiss()
}

describe('the form of an application whose deletion runs', () => {
  it.each([
    ['gives way to the list when the application is deleted', 'done'],
    ['stays when the server refuses the deletion', 'refused'],
  ] as const)('%s (LST11, LST13)', async (_, how) => {
    const { answerDeletion } = await pressDelete()
    await portal.router.navigate({ href: '/form/app-1/PP-1/GeneralData' })
    await portal.see(() => expect(portal.named('travelDestination')).toBeTruthy())
    await portal.see(() => expect(deletions()).toHaveLength(1))
    answerDeletion(how)
    if (how === 'refused') {
      await portal.see(() => expect(lastNotice()).toEqual({ key: 'procedure.notDeleted' }))
      expect(portal.named('travelDestination')).toBeTruthy()
      return
    }
    await portal.see(() => expect(location.pathname).toBe('/procedure'))
    await portal.see(() => expect(portal.main().textContent).toContain(t('state.DELETED')))
    expect(await portal.store.drafts.all()).toEqual([])
  })
})
