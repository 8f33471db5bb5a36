// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { doNothing } from '#device/do-nothing.ts'
import { newDraft } from '#store/draft.ts'
import { minorWithRepresentative } from '#support/data/applicants.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { createWaitingLocks } from '#support/providers/waiting-locks.ts'
import { textsOf } from '#support/data/texts.ts'
import { settle } from '#support/settle.ts'

const t = textsOf('fr')
let portal: Portal
afterEach(() => portal.close())

/** Opens the list while the creation of an application waits for `answerCreation`. Returns what the server has. */
async function openDuringCreation() {
  const server = {
    ids: [] as string[],
    deletions: 0,
    answerCreation: doNothing,
    /** Another phone has created the application before. */
    isExisting: false,
    /** The server answers each request for the list when this promise resolves. */
    mayList: Promise.resolve(),
  }
  const mayAnswer = new Promise<void>(resolve => (server.answerCreation = resolve))
  portal = await openPortal({
    path: '/procedure',
    answer({ url, method }) {
      const path = new URL(url, 'http://portal.test').pathname.replace('/api/v1', '')
      const features = ['deleteApplication', 'drafts']
      if (path === '/version')
        return { json: { data: { version: '1', time: '2026-06-15T09:00:00Z', features } } }
      if (path === '/applications' && method === 'GET')
        return server.mayList.then(() => {
          const list = server.ids.map(id => ({ id, applicationNumber: 'PP-1', currentState: 'NEW' }))
          return { json: { data: list } }
        })
      if (path === '/applications')
        return mayAnswer.then(() => {
          server.ids = ['app-1']
          const created = { id: 'app-1', applicationNumber: 'PP-1' }
          return { json: { data: server.isExisting ? { ...created, isExisting: true } : created } }
        })
      if (path !== '/applications/app-1/delete') return undefined
      server.ids = []
      server.deletions += 1
      return { json: { data: { currentState: 'DELETED' } } }
    },
  })
  portal.device.withLock = createWaitingLocks()
  const draft = newDraft({ values: minorWithRepresentative, tab: 'ParentData', create: { key: 'key-1' } })
  await portal.store.drafts.update('local-1', () => draft)
  void portal.services.sync.flush('local-1')
  await portal.see(() => expect(creations()).toHaveLength(1))
  return server
}

const creations = () =>
  portal.requests.filter(({ method, url }) => method === 'POST' && url.endsWith('/applications'))
const labelled = (key: Parameters<typeof t>[0]) =>
  [...portal.main().querySelectorAll('button')].find(each => each.textContent.startsWith(t(key)))

/** Presses Delete on the card. The ten seconds to undo it begin. */
async function pressDelete(): Promise<void> {
  await portal.see(() => expect(labelled('procedure.delete')).toBeDefined())
  // `detail: 1`: a click of a mouse. After a press of a key (0), the time would stop while Undo has the focus (LST12).
  labelled('procedure.delete')?.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 }))
  await portal.see(() => expect(labelled('procedure.undo')).toBeDefined())
}

it('deletes the answers also when the list comes without the application before the device has deleted them (LST11, D33)', async () => {
  const server = await openDuringCreation()
  await portal.see(() => expect(labelled('procedure.delete')).toBeDefined())
  // The storage of the device is slow: the deletion begins after the move of the draft, and ends after the list is there.
  const { sync } = portal.services
  const { deletionRequests } = portal.store
  const add = deletionRequests.add.bind(deletionRequests)
  const resolveId = sync.resolveId.bind(sync)
  const slow = { finish: doNothing }
  const mayFinish = new Promise<void>(resolve => (slow.finish = resolve))
  vi.spyOn(deletionRequests, 'add').mockImplementation(id => mayFinish.then(() => add(id)))
  vi.spyOn(sync, 'resolveId').mockImplementationOnce(async id => {
    await portal.see(() => expect(sync.serverIdOf(id)).toBe('app-1'))
    return resolveId(id)
  })
  await pressDelete()
  await portal.device.advance(10_000)
  // The list that the creation requests comes after the deletion on the server.
  let answerList = doNothing
  server.mayList = new Promise<void>(resolve => (answerList = resolve))
  server.answerCreation()
  await portal.see(() => expect(server.deletions).toBe(1))
  answerList()
  // Until the device has deleted them, the list may offer them as answers of an application that the service does not know.
  await portal.see(() => expect(portal.main().textContent).not.toContain('PP-1'))
  expect(await portal.store.drafts.all()).toMatchObject([{ applicationId: 'app-1' }])
  slow.finish()
  await portal.see(async () => expect(await portal.store.drafts.all()).toEqual([]))
  await portal.see(() => expect(portal.main().querySelector('article')).toBeNull())
})

it('deletes on the server what the server creates during the deletion (LST11, D33)', async () => {
  const server = await openDuringCreation()
  await pressDelete()
  await portal.device.advance(10_000)
  server.answerCreation()
  await portal.see(() => expect(server.deletions).toBe(1))
  await portal.see(() => expect(portal.main().querySelector('article')).toBeNull())
  // The list that the creation has requested may come before the device has deleted the draft.
  await portal.see(async () => expect(await portal.store.drafts.all()).toEqual([]))
})

it('lets the applicant undo the deletion when the server creates the application during the ten seconds (LST11, D33)', async () => {
  const server = await openDuringCreation()
  await pressDelete()
  // The draft has the id of the server before the list has the application.
  let answerList = doNothing
  server.mayList = new Promise<void>(resolve => (answerList = resolve))
  server.answerCreation()
  await portal.see(() => expect(portal.services.sync.serverIdOf('local-1')).toBe('app-1'))
  await settle()
  expect(portal.main().textContent).not.toContain(t('procedure.empty'))
  expect(labelled('procedure.undo')).toBeDefined()
  answerList()
  await portal.see(() => expect(portal.main().textContent).toContain('PP-1'))
  await portal.see(() => expect(labelled('procedure.undo')).toBeDefined())
  labelled('procedure.undo')?.click()
  await portal.device.advance(10_000)
  expect(server.deletions).toBe(0)
  expect(await portal.store.drafts.all()).toMatchObject([{ applicationId: 'app-1' }])
})

describe('an application of another phone that the server returns for one that is being deleted here', () => {
  it('stays, the page says so, and the applicant can still delete it (LST11, D33)', async () => {
    const server = await openDuringCreation()
    server.isExisting = true
    await pressDelete()
    await portal.device.advance(10_000)
    server.answerCreation()
    await portal.see(() =>
      expect(portal.notices.state().last?.message).toEqual({ key: 'procedure.notDeleted' }),
    )
    expect(server.deletions).toBe(0)
    expect(await portal.store.drafts.all()).toMatchObject([{ applicationId: 'app-1' }])
    await portal.see(() => expect(portal.main().textContent).toContain('PP-1'))
    await pressDelete()
    await portal.device.advance(10_000)
    await portal.see(() => expect(server.deletions).toBe(1))
  })
})
