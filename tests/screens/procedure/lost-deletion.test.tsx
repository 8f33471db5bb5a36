// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { newDraft } from '#store/draft.ts'
import { firstPassport, minorWithRepresentative } from '#support/data/applicants.ts'
import { makeToken } from '#support/data/access-token.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { textsOf } from '#support/data/texts.ts'
import { settle } from '#support/settle.ts'
import type { Sync } from '#sync/engine.ts'
import { finishRequestedDeletions } from '#screens/procedure/follow-up-deletions.ts'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

type Server = {
  state: string
  /** `lost`: the server deletes the application, but its answer does not arrive. `not received`: the request does not arrive. */
  deletion: 'lost' | 'refused' | 'not received'
  /** Whether the list of the server arrives. */
  isListReachable: boolean
  isListed: boolean
  /** The answer to every list of the first applicant from now on; the next applicant gets none. */
  laterList?: ReturnType<typeof lateAnswer>['answered']
}

/** An answer of the server that arrives when the test says so. */
function lateAnswer() {
  let resolve: ((given: { json: object }) => void) | undefined
  const answered = new Promise<{ json: object }>(answerWith => {
    resolve = answerWith
  })
  return { answered, arrive: (given: { json: object }) => resolve?.(given) }
}

const cachedAnswer = 'readData {"params":{"id":"app-1"}}'

function createServer(given: Partial<Server> = {}): Server {
  return { state: 'NEW', deletion: 'lost', isListReachable: true, isListed: true, ...given }
}

async function open(server: Server, applicant?: string) {
  portal = await openPortal({
    path: '/procedure',
    ...(applicant !== undefined && { applicant }),
    answer: request => answer(server, request),
  })
}

function answer(server: Server, { url, method }: { url: string; method: string }) {
  const path = new URL(url, 'http://portal.test').pathname.replace('/api/v1', '')
  const features = ['deleteApplication']
  if (path === '/version') return { json: { data: { version: '1', time: '2026-06-15T09:00:00Z', features } } }
  if (path === '/applications' && method === 'GET') {
    if (!server.isListReachable) return 'no connection' as const
    if (server.laterList)
      return url.includes('applicantId=next') ? ('no connection' as const) : server.laterList
    const listed = { id: 'app-1', applicationNumber: 'PP-1', currentState: server.state }
    return { json: { data: server.isListed ? [listed] : [] } }
  }
  if (path !== '/applications/app-1/delete') return undefined
  if (server.deletion === 'refused')
    return { status: 409, json: { statusCode: 409, data: { statusCode: 409 }, reason: 'wrong-state' } }
  if (server.deletion === 'lost') server.state = 'DELETED'
  return 'no connection' as const
}

async function saveDraft() {
  const { drafts, responses } = portal.store
  await drafts.update('app-1', () => newDraft({ values: firstPassport, tab: 'PersonData' }))
  await changeAnswers()
  expect(await portal.store.revisions('app-1')).not.toEqual([])
  await responses.write(cachedAnswer, { data: firstPassport })
}

/** Changes the answers. The cause `restored` saves the earlier answers as a revision at once; typing does so seldom. */
async function changeAnswers() {
  const { drafts } = portal.store
  portal.device.sleep(1_000)
  const values = { ...minorWithRepresentative, surname: `Surname ${portal.device.now()}` }
  await drafts.update('app-1', draft => draft && { ...draft, values }, { kind: 'restored' })
}

function press(key: Parameters<typeof t>[0]) {
  return portal.see(() => {
    const found = [...portal.main().querySelectorAll('button')].find(each =>
      each.textContent.startsWith(t(key)),
    )
    expect(found).toBeDefined()
    // A press of the keyboard would pause the ten seconds (LST12).
    found?.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 }))
  })
}

/** Resolves when the device has saved the request: if the fake clock advanced before, the write would time out. */
async function pressDelete() {
  await press('procedure.delete')
  await portal.see(() => expect(document.activeElement?.textContent).toContain(t('procedure.undo')))
  await portal.see(async () => expect(await portal.store.deletionRequests.unchangedIds()).toEqual(['app-1']))
}

/** Whether this device has the draft, revisions and the cached answers of the application. */
async function kept() {
  const { drafts, responses, revisions } = portal.store
  return {
    draft: (await drafts.all()).length > 0,
    revisions: (await revisions('app-1')).length > 0,
    cached: (await responses.read(cachedAnswer)) !== undefined,
  }
}

const nothing = { draft: false, revisions: false, cached: false }
const everything = { draft: true, revisions: true, cached: true }
const deletions = () => portal.requests.filter(({ url }) => url.endsWith('/applications/app-1/delete'))
const lists = () => portal.requests.filter(({ url }) => url.includes('/applications?applicantId='))
const seeState = () => portal.see(() => expect(portal.main().textContent).toContain(t('state.DELETED')))

/** The page asks the server to delete the application, and gets neither the answer nor a later list. */
async function loseDeletion(server: Server) {
  await open(server)
  await saveDraft()
  await pressDelete()
  server.isListReachable = false
  await portal.device.advance(10_000)
  await portal.see(() => expect(deletions()).toHaveLength(1))
  await portal.see(() => expect(portal.main().textContent).not.toContain(t('procedure.deleted')))
}

/** The applicant comes back with a new page on the same device. */
async function comeBack(server: Server) {
  server.isListReachable = true
  const { applicant } = portal
  await portal.close()
  await open(server, applicant)
}

/**
 * The applicant comes back after a deletion whose request did not reach the server. The server answers the list, and then
 * leaves this number of questions about the deletion without an answer.
 */
async function comeBackUnanswered({ questions }: { questions: number }): Promise<Server> {
  const server = createServer({ deletion: 'not received' })
  await loseDeletion(server)
  await comeBack(server)
  await portal.see(() => expect(portal.main().textContent).toContain(t('state.NEW')))
  server.isListReachable = false
  await portal.seeAsTimePasses(() => expect(lists()).toHaveLength(1 + questions))
  return server
}

/** Waits until the page knows the outcome of the deletion of the page before, and has removed its request. */
async function waitForFollowUp() {
  await portal.seeAsTimePasses(async () =>
    expect(await portal.store.deletionRequests.unchangedIds()).toEqual([]),
  )
}

describe('a deletion that gets no answer', () => {
  it('forgets all answers when the list says that the application is deleted (LST15)', async () => {
    await open(createServer())
    await saveDraft()
    await pressDelete()
    await portal.device.advance(10_000)
    await seeState()
    await portal.see(async () => expect(await kept()).toEqual(nothing))
    expect(portal.notices.state().last?.message).not.toEqual({ key: 'procedure.notDeleted' })
  })

  it.each([
    ['says that the application is deleted', true],
    ['has the application no longer', false],
  ])('forgets all answers at the next visit when the list %s (LST15)', async (_, isListed) => {
    const server = createServer()
    await loseDeletion(server)
    expect(await kept()).toEqual(everything)
    server.isListed = isListed
    await comeBack(server)
    await portal.see(async () => expect(await kept()).toEqual(nothing))
    expect(portal.main().textContent).not.toContain(t('unknown.heading'))
  })

  it('forgets what the device has cached when the application had no draft (LST15)', async () => {
    const server = createServer()
    await open(server)
    await portal.store.responses.write(cachedAnswer, { data: firstPassport })
    await pressDelete()
    server.isListReachable = false
    await portal.device.advance(10_000)
    await portal.see(() => expect(deletions()).toHaveLength(1))
    await comeBack(server)
    await portal.see(async () => expect(await kept()).toEqual(nothing))
  })

  it('keeps all answers while the server has the application (LST15, D63)', async () => {
    const server = createServer({ deletion: 'not received' })
    await loseDeletion(server)
    await comeBack(server)
    await portal.see(() => expect(portal.main().textContent).toContain(t('state.NEW')))
    expect(await kept()).toEqual(everything)
  })

  it('is reported as not done, once, on the next page, when the server still has the application after a while (LST18)', async () => {
    const server = createServer({ deletion: 'not received' })
    await loseDeletion(server)
    await comeBack(server)
    await portal.see(() => expect(portal.main().textContent).toContain(t('state.NEW')))
    await waitForFollowUp()
    await portal.see(() =>
      expect(portal.notices.state().last?.message).toEqual({ key: 'procedure.notDeleted' }),
    )
    expect(await kept()).toEqual(everything)
    await comeBack(server)
    await portal.see(() => expect(portal.main().textContent).toContain(t('state.NEW')))
    await portal.device.advance(60_000)
    expect(portal.notices.state().last?.message).not.toEqual({ key: 'procedure.notDeleted' })
  })

  it('is reported as not done also when the first questions of the next page get no answer (LST18)', async () => {
    const server = await comeBackUnanswered({ questions: 2 })
    expect(portal.notices.state().last?.message).not.toEqual({ key: 'procedure.notDeleted' })
    server.isListReachable = true
    await waitForFollowUp()
    await portal.see(() =>
      expect(portal.notices.state().last?.message).toEqual({ key: 'procedure.notDeleted' }),
    )
    expect(await kept()).toEqual(everything)
  })

  it('is asked about no longer when the session has ended (LST18)', async () => {
    const server = await comeBackUnanswered({ questions: 1 })
    const { applicant, services } = portal
    await services.session.logOut()
    await portal.see(() => expect(services.session.state().kind).toBe('signed-out'))
    server.isListReachable = true
    const asked = () => lists().filter(({ url }) => url.includes(applicant)).length
    const askedBefore = asked()
    const token = makeToken({ applicantId: 'next' })
    expect(await services.session.begin({ token, draftKey: 'the next key' })).toBe(true)
    await portal.device.advance(60_000)
    // If the session had not ended, the question would come after a few turns of the event loop.
    await settle()
    expect(asked()).toBe(askedBefore)
  })

  it('does not decide about the drafts of the next applicant when the list arrives after the log-out (LST15)', async () => {
    const server = createServer({ isListed: false })
    await open(server)
    const { services, store } = portal
    await portal.see(() => expect(portal.main().textContent).toContain(t('procedure.empty')))
    // The list on the screen no longer has the application, so the page reads the list again.
    const { answered, arrive } = lateAnswer()
    server.laterList = answered
    await saveDraft()
    await portal.see(() => expect(lists()).toHaveLength(2))
    await services.session.logOut()
    await portal.see(() => expect(services.session.state().kind).toBe('signed-out'))
    const token = makeToken({ applicantId: 'next' })
    expect(await services.session.begin({ token, draftKey: 'the next key' })).toBe(true)
    // The next applicant has asked for the deletion of an application that the first applicant does not have.
    await store.drafts.update('app-2', () => newDraft({ values: firstPassport, tab: 'PersonData' }))
    await store.deletionRequests.add('app-2')
    arrive({ json: { data: [] } })
    // If the page ignored the end of the session, it would delete after a few turns of the event loop.
    await settle()
    expect(await store.drafts.read('app-2')).toBeDefined()
    expect(await store.deletionRequests.unchangedIds()).toEqual(['app-2'])
  })

  it('is not said to have failed when the request of the page before arrives in the meantime (LST18)', async () => {
    const server = createServer({ deletion: 'not received' })
    await loseDeletion(server)
    await comeBack(server)
    await portal.see(() => expect(portal.main().textContent).toContain(t('state.NEW')))
    server.state = 'DELETED'
    await waitForFollowUp()
    await portal.see(async () => expect(await kept()).toEqual(nothing))
    expect(portal.notices.state().last?.message).not.toEqual({ key: 'procedure.notDeleted' })
  })

  it('keeps all answers when the applicant has typed since (LST15, D63)', async () => {
    const server = createServer()
    await loseDeletion(server)
    await changeAnswers()
    await comeBack(server)
    await seeState()
    await portal.see(() => expect(portal.main().textContent).toContain(t('unknown.heading')))
    expect(await kept()).toMatchObject({ draft: true, revisions: true })
  })
})

describe('a deletion that did not happen', () => {
  it.each([
    ['undone', createServer()],
    ['refused', createServer({ deletion: 'refused' })],
  ])(
    'keeps all answers when it was %s and another device deletes later (LST15, D63)',
    async (how, server) => {
      await open(server)
      await saveDraft()
      await pressDelete()
      if (how === 'undone') await press('procedure.undo')
      else await portal.device.advance(10_000)
      await portal.see(async () => expect(await portal.store.deletionRequests.unchangedIds()).toEqual([]))
      server.state = 'DELETED'
      await comeBack(server)
      await portal.see(() => expect(portal.main().textContent).toContain(t('unknown.heading')))
      expect(await kept()).toMatchObject({ draft: true, revisions: true })
    },
  )
})

it('keeps an answer that a form saves while an earlier request to delete is carried out (LST15)', async () => {
  const server = createServer({ isListReachable: false })
  await open(server)
  await saveDraft()
  await portal.store.deletionRequests.add('app-1')
  const services = await portal.services.openQueries()
  const remove: Sync['remove'] = async (...given) => {
    // Another tab has the form, and saves just before the deletion.
    await changeAnswers()
    return services.sync.remove(...given)
  }
  await finishRequestedDeletions({ ...services, sync: { ...services.sync, remove } }, [], () => false)
  expect((await portal.store.drafts.read('app-1'))?.values.surname).toBe(`Surname ${portal.device.now()}`)
  expect(await portal.store.revisions('app-1')).not.toEqual([])
})
