// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { newDraft } from '#store/draft.ts'
import { minorWithRepresentative } from '#support/data/applicants.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { textsOf } from '#support/data/texts.ts'
import { holdAnswer } from '#support/providers/fake-fetch.ts'
import { settle } from '#support/settle.ts'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

type Server = {
  state: string
  features: string[]
  /** How the server answers the deletion. */
  deletion: 'done' | 'refused' | 'no connection'
  /** Without it the list of the server is empty. */
  isListed: boolean
  /** Further applications, which the server lists after this one. */
  others?: object[]
}

async function open(given: Partial<Server> = {}, path = '/procedure') {
  const server: Server = {
    state: 'NEW',
    features: ['deleteApplication'],
    deletion: 'done',
    isListed: true,
    ...given,
  }
  portal = await openPortal({ path, answer: request => answer(server, request) })
  return server
}

function answer(server: Server, { url, method }: { url: string; method: string }) {
  const path = new URL(url, 'http://portal.test').pathname.replace('/api/v1', '')
  const { state: currentState, features, isListed, others = [] } = server
  if (path === '/version') return { json: { data: { version: '1', time: '2026-06-15T09:00:00Z', features } } }
  if (path === '/applications' && method === 'GET')
    return {
      json: {
        data: isListed ? [{ id: 'app-1', applicationNumber: 'PP-1', currentState }, ...others] : [],
      },
    }
  if (path !== '/applications/app-1/delete') return undefined
  if (server.deletion === 'no connection') return 'no connection' as const
  if (server.deletion === 'refused')
    return { status: 409, json: { statusCode: 409, data: { statusCode: 409 }, reason: 'wrong-state' } }
  server.state = 'DELETED'
  return { json: { data: { currentState: 'DELETED' } } }
}

async function saveDraft(applicationId: string, create?: { key: string }) {
  const draft = newDraft({ values: minorWithRepresentative, tab: 'ParentData', create })
  await portal.store.drafts.update(applicationId, () => draft)
  await portal.store.responses.write(`readData {"params":{"id":"${applicationId}"}}`, { data: draft.values })
}

const deletions = () => portal.requests.filter(({ url }) => url.endsWith('/applications/app-1/delete'))
const labelled = (key: Parameters<typeof t>[0]) =>
  [...portal.main().querySelectorAll('button')].find(each => each.textContent.startsWith(t(key)))

async function control(key: Parameters<typeof t>[0]): Promise<HTMLButtonElement> {
  await portal.see(() => expect(labelled(key)).toBeDefined())
  return labelled(key) ?? document.createElement('button')
}

/** A tap or a click has a pointer; a press of the keyboard or of a screen reader has none. */
async function press(key: Parameters<typeof t>[0], by: 'pointer' | 'keyboard' = 'pointer') {
  const button = await control(key)
  button.focus()
  button.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: by === 'pointer' ? 1 : 0 }))
}

async function pressDelete(by: 'pointer' | 'keyboard' = 'pointer') {
  await press('procedure.delete', by)
  const undo = await control('procedure.undo')
  await portal.see(() => expect(document.activeElement).toBe(undo))
}

function move(type: 'pointerover' | 'pointerout') {
  labelled('procedure.undo')?.dispatchEvent(
    new PointerEvent(type, { bubbles: true, pointerType: 'mouse', relatedTarget: document.body }),
  )
}

describe('the card of an application', () => {
  it.each<[string, Partial<Server>, boolean]>([
    ['has a button Delete in state NEW when the server announces it', {}, true],
    ['has no button Delete when the server does not announce it', { features: [] }, false],
    ['has no button Delete when the data are confirmed', { state: 'DATA_SAVED' }, false],
    ['has no button Delete when it is paid', { state: 'PAYMENT_DONE' }, false],
  ])('%s (LST11, D5)', async (_, given, isOffered) => {
    await open(given)
    await portal.see(() => expect(portal.main().textContent).toContain('PP-1'))
    await portal.see(() => expect(portal.services.serverInfo.current().value).toBeDefined())
    await portal.see(() => expect(labelled('procedure.delete') !== undefined).toBe(isOffered))
  })

  it('has no button Delete while the device is offline, unless the application is only on this device (LST11)', async () => {
    await open()
    await saveDraft('local-1', { key: 'key-1' })
    await portal.see(() => expect(portal.main().querySelectorAll('article')).toHaveLength(2))
    const buttons = () =>
      [...portal.main().querySelectorAll('button')].filter(each =>
        each.textContent.startsWith(t('procedure.delete')),
      )
    await portal.see(() => expect(buttons()).toHaveLength(2))
    portal.device.setOnline(false)
    await portal.see(() =>
      expect(buttons().map(each => each.textContent)).toEqual([
        `${t('procedure.delete')} – ${t('form.noNumber')}`,
      ]),
    )
  })

  it('stays undoable when the list gets another card during the ten seconds (LST11)', async () => {
    await open()
    await pressDelete()
    await saveDraft('local-1', { key: 'key-1' })
    await portal.see(() => expect(portal.main().querySelectorAll('article')).toHaveLength(2))
    expect(deletions()).toEqual([])
    await press('procedure.undo')
    await control('procedure.delete')
    await portal.device.advance(10_000)
    expect(deletions()).toEqual([])
  })

  it('keeps its place when it is deleted, becomes small and gets the focus; at the next visit it is the last one (LST01, LST11)', async () => {
    await open({ others: [{ id: 'app-2', applicationNumber: 'PP-2', currentState: 'SENT_TO_CM' }] })
    const cards = () => [...portal.main().querySelectorAll('article')].map(each => each.textContent)
    const small = () =>
      [...portal.main().querySelectorAll('article[class*="small"]')].map(each => each.textContent)
    await pressDelete()
    expect(small()).toEqual([])
    await portal.device.advance(10_000)
    const deleted = [expect.stringMatching(`PP-1.*${t('state.DELETED')}`)]
    await portal.see(() => expect(small()).toEqual(deleted))
    expect(cards()[0]).toContain('PP-1')
    await portal.see(() => expect(document.activeElement?.textContent).toContain('PP-1'))
    await portal.router.navigate({ to: '/help' })
    await portal.router.navigate({ to: '/procedure' })
    await portal.see(() => expect(cards().map(each => /PP-\d/.exec(each)?.[0])).toEqual(['PP-2', 'PP-1']))
    expect(small()).toEqual(deleted)
  })

  it('asks the server only after ten seconds, and then forgets all answers (LST11)', async () => {
    await open()
    await saveDraft('app-1')
    await pressDelete()
    expect(portal.main().textContent).toContain(t('procedure.deleted'))
    await portal.device.advance(9_900)
    expect(deletions()).toEqual([])
    await portal.device.advance(100)
    await portal.see(() => expect(portal.main().textContent).toContain(t('state.DELETED')))
    expect(deletions().map(({ headers }) => headers.has('idempotency-key'))).toEqual([true])
    expect(await portal.store.drafts.all()).toEqual([])
    expect(await portal.store.revisions('app-1')).toEqual([])
    expect(await portal.store.responses.read('readData {"params":{"id":"app-1"}}')).toBeUndefined()
    await portal.see(() => expect(labelled('for.me')).toBeDefined())
  })

  it('forgets also the answers that the server has sent before the deletion and that arrive after it (LST11)', async () => {
    const server: Server = { state: 'NEW', features: ['deleteApplication'], deletion: 'done', isListed: true }
    const form = holdAnswer()
    portal = await openPortal({
      path: '/procedure',
      answer(request) {
        if (!isDataRead(request)) return answer(server, request)
        if (server.state === 'DELETED')
          return { status: 404, json: { statusCode: 404, data: { statusCode: 404 }, reason: 'not-found' } }
        return form.hold({ json: { data: { ...minorWithRepresentative, additionalData: '', version: 2 } } })
      },
    })
    await control('procedure.delete')
    await portal.router.navigate({ href: '/form/app-1/PP-1/PersonData' })
    await portal.see(() => expect(form.isHeld()).toBe(true))
    await portal.router.navigate({ href: '/procedure' })
    await pressDelete()
    await portal.device.advance(10_000)
    await portal.see(() => expect(deletions()).toHaveLength(1))
    await portal.see(async () =>
      expect(await portal.store.responses.namesWith('deleted ')).toEqual(['deleted app-1']),
    )
    form.release()
    await settle()
    expect(await portal.store.responses.namesWith('readData')).toEqual([])
    expect(portal.requests.filter(isDataRead)).toHaveLength(1)
  })

  it('is as before when the applicant presses Undo (LST11)', async () => {
    await open()
    await saveDraft('app-1')
    await pressDelete()
    await portal.device.advance(9_000)
    await press('procedure.undo')
    await portal.see(() => expect(document.activeElement).toBe(labelled('procedure.delete')))
    await portal.device.advance(60_000)
    expect(deletions()).toEqual([])
    expect(await portal.store.drafts.all()).toHaveLength(1)
  })

  it('waits while the keyboard is on Undo, and ten seconds more (LST12)', async () => {
    await open()
    await pressDelete('keyboard')
    await portal.device.advance(60_000)
    expect(deletions()).toEqual([])
    labelled('procedure.undo')?.blur()
    await portal.device.advance(9_900)
    expect(deletions()).toEqual([])
    await portal.device.advance(100)
    await portal.see(() => expect(deletions()).toHaveLength(1))
  })

  it('waits while the mouse is on Undo (LST12)', async () => {
    await open()
    await pressDelete()
    move('pointerover')
    await portal.device.advance(60_000)
    expect(deletions()).toEqual([])
    move('pointerout')
    await portal.device.advance(10_000)
    await portal.see(() => expect(deletions()).toHaveLength(1))
  })

  it.each([
    ['opens another page', () => portal.router.navigate({ href: '/help' })],
    ['closes the page', () => window.dispatchEvent(new Event('pagehide'))],
    [
      'logs out',
      () => {
        portal.button(t('button.logOut')).click()
        return portal.see(() => expect(location.pathname).toBe('/'))
      },
    ],
  ])('deletes at once when the applicant %s (LST11)', async (_, leave) => {
    await open()
    await saveDraft('app-1')
    await pressDelete()
    await leave()
    await portal.see(() => expect(deletions()).toHaveLength(1))
    expect(deletions()[0]?.headers.get('authorization')).toContain('Bearer')
  })

  it('deletes nothing and says so when the portal reloads for an update (LST17, D36)', async () => {
    await open()
    await saveDraft('app-1')
    await pressDelete()
    await portal.services.pendingWrites.finish('reload')
    window.dispatchEvent(new Event('pagehide'))
    await control('procedure.delete')
    expect(portal.notices.state().last?.message).toEqual({ key: 'procedure.notDeleted' })
    await portal.device.advance(60_000)
    expect(deletions()).toEqual([])
    expect(await portal.store.drafts.all()).toHaveLength(1)
  })

  it.each([
    ['the server refuses the deletion', 'refused'],
    ['the request gets no connection', 'no connection'],
  ] as const)('stays with all answers and says so when %s (LST11)', async (_, deletion) => {
    await open({ deletion })
    await saveDraft('app-1')
    await pressDelete()
    await portal.device.advance(10_000)
    await portal.see(() =>
      expect(portal.notices.state().last?.message).toEqual({ key: 'procedure.notDeleted' }),
    )
    expect(await portal.store.drafts.all()).toHaveLength(1)
    expect(portal.main().textContent).toContain('PP-1')
  })

  it('deletes what is only on this device without the server (LST11, D33)', async () => {
    await open({ isListed: false, features: [] })
    // The tile shows that the list has loaded. The list could not load without a connection.
    await portal.see(() => expect(portal.main().textContent).toContain(t('procedure.new')))
    portal.device.setOnline(false)
    await saveDraft('local-1', { key: 'key-1' })
    await pressDelete()
    await portal.device.advance(10_000)
    await portal.see(() => expect(portal.main().querySelector('article')).toBeNull())
    expect(await portal.store.drafts.all()).toEqual([])
    portal.device.setOnline(true)
    await portal.device.advance(600_000)
    expect(
      portal.requests.filter(({ method, url }) => method === 'POST' && url.includes('/applications')),
    ).toEqual([])
  })
})

const deletedText = () => portal.see(() => expect(portal.main().textContent).toContain(t('form.deleted')))
const writes = () =>
  portal.requests.filter(({ method, url }) => method === 'POST' && url.includes('/applications'))

describe('a form that is open when another tab deletes the application', () => {
  it('says at once that the application was deleted, and can no longer be edited (LST13)', async () => {
    await open({}, '/form/app-1/PP-1/GeneralData')
    await portal.see(() => expect(portal.named('travelDestination')).toBeTruthy())
    portal.device.receiveBroadcast({ kind: 'deleted', form: 'app-1' })
    await deletedText()
    expect(portal.named('travelDestination').closest('fieldset')?.disabled).toBe(true)
    expect(portal.main().textContent).not.toContain(t('form.kept'))
    expect([...portal.main().querySelectorAll('button')].map(each => each.textContent)).not.toContain(
      t('form.takeBack'),
    )
  })

  it.each([
    ['app-1', undefined],
    ['local-1', { key: 'key-1' }],
  ])(
    'writes nothing of %s when the applicant types in it after the deletion (LST13, D33)',
    async (id, create) => {
      await open()
      await saveDraft(id, create)
      // Without a connection only the mark on the device can stop the write.
      portal.device.setOnline(false)
      await portal.router.navigate({ href: `/form/${id}/PP-1/GeneralData` })
      await portal.see(() => expect(portal.named('travelDestination')).toBeTruthy())
      await portal.store.drafts.update(id, () => undefined, { kind: 'deleted' })
      portal.answer('travelDestination', 'Paris')
      await portal.device.advance(1_000)
      await deletedText()
      expect(await portal.store.drafts.all()).toEqual([])
      portal.device.setOnline(true)
      await portal.device.advance(600_000)
      expect(writes()).toEqual([])
    },
  )
})

function isDataRead({ method, url }: { method: string; url: string }): boolean {
  return method === 'GET' && url.endsWith('/applications/app-1/data')
}
