// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { emptyForm } from '#contract/application.ts'
import { doNothing } from '#device/do-nothing.ts'
import { afterMoved } from '#sync/merge-draft.ts'
import { newDraft } from '#store/draft.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { holdAnswer } from '#support/providers/fake-fetch.ts'
import { createWaitingLocks } from '#support/providers/waiting-locks.ts'
import { openForm } from './form-screen-fixture.ts'

const t = textsOf('fr')
let portal: Portal

afterEach(() => portal.close())

const listOfOne = { data: [{ id: 'app-1', applicationNumber: 'PP-1', currentState: 'NEW' }] }

/**
 * Opens the empty list. Until the returned function is called, no application can be created. Afterwards the list is
 * answered when `mayList` resolves.
 */
async function openListOffline(mayList = Promise.resolve()): Promise<() => void> {
  let isConnected = false
  portal = await openPortal({
    path: '/procedure',
    answer({ method, url }) {
      if (method === 'GET' && url.includes('/applications?'))
        return isConnected ? mayList.then(() => ({ json: listOfOne })) : { json: { data: [] } }
      if (method !== 'POST' || !url.endsWith('/applications')) return undefined
      if (!isConnected) return 'no connection'
      return { json: { data: { id: 'app-1', applicationNumber: 'PP-1' } } }
    },
  })
  // The open form and a Submit both try to create the application. As in a browser, only one of them can try at a time.
  portal.device.withLock = createWaitingLocks()
  return () => void (isConnected = true)
}

describe('a form that was started without a connection', () => {
  it('opens the tab of the address, also when the address still has the local id (D33)', async () => {
    const connect = await openListOffline()
    await portal.pressNewApplication()
    await portal.heading(t('tab.GeneralData'))
    const localAddress = location.pathname
    expect(localAddress).toContain('/form/local-')
    connect()
    await portal.seeAsTimePasses(() => expect(location.pathname).toBe('/form/app-1/PP-1/GeneralData'))
    // Continue was pressed before the page knew its new address, or the applicant went back in the history.
    for (const tab of ['NicData', 'ParentData'] as const) {
      await portal.router.navigate({ href: localAddress.replace('GeneralData', tab) })
      await portal.see(() => expect(location.pathname).toBe(`/form/app-1/PP-1/${tab}`))
      await portal.heading(t(`tab.${tab}`))
    }
  })

  it('opens the confirmation when the Submit itself gives the application its number (FRM13 D33)', async () => {
    const connect = await openListOffline()
    await openCompleteForm()
    connect()
    portal.button(t('button.submit')).click()
    await portal.see(() => expect(location.pathname).toBe('/confirm/app-1/PP-1'))
  })

  it('opens the confirmation also when the list, from which the address gets the number, comes last (FRM13 D33)', async () => {
    let answerList = doNothing
    const mayList = new Promise<void>(resolve => (answerList = resolve))
    const connect = await openListOffline(mayList)
    await openCompleteForm()
    connect()
    portal.button(t('button.submit')).click()
    // The Submit has ended.
    await portal.see(() => expect(location.pathname).not.toMatch(/^\/form\//))
    answerList()
    await portal.see(() => expect(location.pathname).toBe('/confirm/app-1/PP-1'))
  })
})

/** Opens the last tab of a form that was started without a connection and has all answers. */
async function openCompleteForm() {
  const draft = newDraft({ values: firstPassport, tab: 'NicData', create: { key: 'start' } })
  await portal.store.drafts.update('local-1', () => draft)
  await portal.router.navigate({ href: '/form/local-1/-/NicData' })
  await portal.heading(t('tab.NicData'))
  await portal.see(() => expect(portal.named('nicNumber').value).toBe(firstPassport.nicNumber))
}

describe('a form whose draft moves to the id of the server (D33)', () => {
  it('keeps its `<form>` element when the applicant opens another tab after the move, before the list of drafts shows the move', async () => {
    portal = await openPortal({
      path: '/procedure',
      answer({ method, url }) {
        // The list of drafts waits for this answer.
        if (url.endsWith('/version')) return 'hangs'
        if (method === 'POST' && url.endsWith('/applications')) return 'hangs'
        return undefined
      },
    })
    const started = newDraft({ values: emptyForm(), tab: 'GeneralData', create: { key: 'start' } })
    await portal.store.drafts.update('local-1', () => started)
    await portal.router.navigate({ href: '/form/local-1/-/GeneralData' })
    await portal.heading(t('tab.GeneralData'))
    await portal.see(() => expect(portal.named('travelDestination').value).toBe(''))
    const form = portal.main().querySelector('form')
    portal.answer('travelDestination', 'Gabon')
    await portal.store.drafts.move('local-1', 'app-1', draft => afterMoved(draft, undefined))
    await portal.router.navigate({ href: '/form/local-1/-/PersonData' })
    await portal.see(() => expect(location.pathname).toBe('/form/app-1/PP-1/PersonData'))
    await portal.heading(t('tab.PersonData'))
    expect(portal.main().querySelector('form')).toBe(form)
  })

  it('opens another tab after the move, although the list of applications on the page is from before the move', async () => {
    let data: typeof listOfOne.data = []
    portal = await openPortal({
      path: '/procedure',
      answer({ method, url }) {
        // The list of drafts, which tells the page of the move, waits for this answer.
        if (url.endsWith('/version')) return 'hangs'
        if (method === 'POST' && url.endsWith('/applications')) return 'hangs'
        return method === 'GET' && url.includes('/applications?') ? { json: { data } } : undefined
      },
    })
    await portal.see(() => expect(portal.main().textContent).toContain(t('procedure.empty')))
    const started = newDraft({ values: emptyForm(), tab: 'GeneralData', create: { key: 'start' } })
    await portal.store.drafts.update('local-1', () => started)
    await portal.router.navigate({ href: '/form/local-1/-/GeneralData' })
    await portal.heading(t('tab.GeneralData'))
    data = listOfOne.data
    await portal.store.drafts.move('local-1', 'app-1', draft => afterMoved(draft, undefined))
    await portal.router.navigate({ href: '/form/local-1/-/PersonData' })
    await portal.see(() => expect(location.pathname).not.toContain('local-1'))
    expect(location.pathname).toBe('/form/app-1/PP-1/PersonData')
  })
})

describe('a form that gets its number on a slow connection (D33)', () => {
  it('stays when the list, as it was before the creation, arrives after the creation', async () => {
    const server = { isConnected: false, lists: 0, data: [] as typeof listOfOne.data }
    const older = holdAnswer()
    portal = await openPortal({
      path: '/procedure',
      answer({ method, url }) {
        if (method === 'GET' && url.includes('/applications?')) {
          server.lists += 1
          const answer = { json: { data: server.data } }
          return server.lists === 2 ? older.hold(answer) : answer
        }
        if (method !== 'POST' || !url.endsWith('/applications')) return undefined
        if (!server.isConnected) return 'no connection'
        server.data = listOfOne.data
        return { json: { data: { id: 'app-1', applicationNumber: 'PP-1' } } }
      },
    })
    portal.device.withLock = createWaitingLocks()
    await portal.see(() => expect(server.lists).toBe(1))
    await portal.pressNewApplication()
    await portal.heading(t('tab.GeneralData'))
    await portal.see(() => expect(older.isHeld()).toBe(true))
    const [, , startedAs = ''] = location.pathname.split('/')
    server.isConnected = true
    await portal.seeAsTimePasses(async () =>
      expect(await portal.store.drafts.resolveId(startedAs)).toBe('app-1'),
    )
    // The guard of the new address, which reads the storage first, waits for the list.
    for (let read = 0; read < 10; read += 1) await portal.store.drafts.all()
    older.release()
    await portal.see(() => expect(location.pathname).not.toContain(startedAs))
    await portal.heading(t('tab.GeneralData'))
    expect(location.pathname).toBe('/form/app-1/PP-1/GeneralData')
  })

  it('stays on the page while the list of applications loads', async () => {
    const answers = { creation: doNothing, list: doNothing }
    const mayCreate = new Promise<void>(resolve => (answers.creation = resolve))
    const mayList = new Promise<void>(resolve => (answers.list = resolve))
    portal = await openPortal({
      path: '/help',
      answer({ method, url }) {
        if (method === 'GET' && url.includes('/applications?'))
          return mayList.then(() => ({ json: listOfOne }))
        if (method !== 'POST' || !url.endsWith('/applications')) return undefined
        return mayCreate.then(() => ({ json: { data: { id: 'app-1', applicationNumber: 'PP-1' } } }))
      },
    })
    const draft = newDraft({ values: emptyForm(), tab: 'GeneralData', create: { key: 'start' } })
    await portal.store.drafts.update('local-1', () => draft)
    await portal.router.navigate({ href: '/form/local-1/-/GeneralData' })
    await portal.heading(t('tab.GeneralData'))
    await portal.see(() => expect(portal.named('travelDestination').value).toBe(''))
    const form = portal.main().querySelector('form')
    const lists = () => portal.requests.filter(({ url }) => url.includes('/applications?')).length
    answers.creation()
    await portal.see(() => expect(lists()).toBeGreaterThan(0))
    // Longer than the router waits before it hides the page and shows that another one loads.
    await new Promise(resolve => setTimeout(resolve, 1_000))
    expect(portal.main().querySelector('[style*="display: none"]')).toBeNull()
    answers.list()
    await portal.see(() => expect(location.pathname).toBe('/form/app-1/PP-1/GeneralData'))
    expect(portal.main().querySelector('form')).toBe(form)
  })
})

describe('a form of an application that was also started without a connection (D33)', () => {
  it('keeps its `<form>` element when the server answers the start with the same application', async () => {
    portal = await openForm('GeneralData', {
      answer({ method, url }) {
        if (url.endsWith('/version')) return { json: { data: { version: '1', features: ['drafts'] } } }
        if (method !== 'POST' || !url.endsWith('/applications')) return undefined
        return { json: { data: { id: 'app-1', applicationNumber: 'PP-1' } } }
      },
    })
    const form = portal.main().querySelector('form')
    // The answer to the start was lost, and the applicant opened the form from the list.
    const started = newDraft({ values: emptyForm(), tab: 'GeneralData', create: { key: 'start' } })
    await portal.store.drafts.update('local-1', () => started)
    portal.device.wakeUp()
    await portal.see(async () => {
      const drafts = await portal.store.drafts.all()
      expect(drafts.map(({ applicationId }) => applicationId)).toEqual(['app-1'])
    })
    portal.answer('travelDestination', 'Gabon')
    const saves = () =>
      portal.requests.findLastIndex(({ method, url }) => method === 'POST' && url.endsWith('/data'))
    // When the answer is on the server, the page reads the form again.
    await portal.see(async () => {
      await portal.device.advance(100)
      expect(saves()).toBeGreaterThan(0)
      expect(
        portal.requests.slice(saves()).some(({ url, method }) => method === 'GET' && url.endsWith('/data')),
      ).toBe(true)
    })
    await portal.see(() => expect(portal.main().textContent).toContain(t('form.onServer')))
    expect(portal.main().querySelector('form')).toBe(form)
  })
})
