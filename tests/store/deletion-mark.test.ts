import { afterEach, beforeEach, expect, it } from 'vitest'
import { emptyForm } from '#contract/application.ts'
import { type Database, openDatabase } from '#store/database.ts'
import { type Draft, newDraft } from '#store/draft.ts'
import { createStoreOn, type Store } from '#store/store.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { firstPassport, minorWithRepresentative } from '#support/data/applicants.ts'
import { createFailingStorage } from '#support/providers/failing-storage.ts'
import { createFakeDevice, type FakeDevice } from '#support/providers/fake-device.ts'
import {
  commitNextWriteLate,
  countAttempt,
  openStoreOn,
  typeInForm,
  writeOnFullDisk,
} from './store-fixture.ts'

const deletedMessage = { kind: 'deleted', form: 'app-1' } as const

let database: Database
let store: Store

beforeEach(async () => {
  database = openDatabase(crypto.randomUUID())
  store = createStoreOn(database, createFakeDevice(), mergeScreenForm)
  await signIn('ada')
})
afterEach(() => database.delete())

const signIn = (applicantId: string) =>
  store.setKey({ applicantId, draftKey: `secret of ${applicantId}` }, 'device')
const draftOf = (more: Partial<Draft> = {}) => newDraft({ values: firstPassport, tab: 'PersonData', ...more })

/** Types in a form that showed `lastKnown`. */
function type(applicationId: string, lastKnown: Draft, page = store) {
  return typeInForm(page, minorWithRepresentative, lastKnown, applicationId)
}

const remove = (applicationId: string) =>
  store.drafts.update(applicationId, () => undefined, { kind: 'deleted' })

it('refuses what is typed or restored in a form that had a draft before the deletion (LST13)', async () => {
  const { draft = draftOf() } = await store.drafts.update('app-1', () => draftOf())
  await remove('app-1')
  expect(await type('app-1', draft)).toEqual({ kind: 'deleted', draft: undefined })
  expect(await store.drafts.update('app-1', () => draft, { kind: 'restored' })).toMatchObject({
    kind: 'deleted',
  })
  expect([await store.drafts.all(), await store.revisions('app-1')]).toEqual([[], []])
})

it('has no answers left when a form writes during the deletion (LST13)', async () => {
  const { draft = draftOf() } = await store.drafts.update('app-1', () => draftOf())
  // The three may end in any order; the result must be the same.
  await Promise.all([type('app-1', draft), remove('app-1'), type('app-1', draft)])
  expect([await store.drafts.all(), await store.revisions('app-1')]).toEqual([[], []])
})

it.each([
  ['which then had no draft', true],
  ['which could not be read then', false],
])(
  'saves nothing of a form that was opened before the deletion on a device %s (LST13)',
  async (_, isRead) => {
    const other = createStoreOn(database, createFakeDevice(), mergeScreenForm)
    await other.setKey({ applicantId: 'ada', draftKey: 'secret of ada' }, 'device')
    if (isRead) await store.drafts.find('app-1')
    await other.drafts.update('app-1', () => undefined, { kind: 'deleted' })
    expect((await type('app-1', draftOf())).kind).toBe('deleted')
    expect(await store.drafts.all()).toEqual([])
  },
)

it('saves nothing of a form without a draft when the application is deleted during its first write (LST13)', async () => {
  await store.drafts.find('app-1')
  await Promise.all([remove('app-1'), type('app-1', draftOf())])
  expect([await store.drafts.all(), await store.revisions('app-1')]).toEqual([[], []])
})

it('does not bring back what only the memory of another page has, when no mark fits on the disk (LST13)', async () => {
  const storage = createFailingStorage()
  const device = createFakeDevice()
  const page = await openStoreOn(openDatabase('portal', storage.factory), device)
  await writeOnFullDisk(storage, () => page.drafts.update('app-1', () => draftOf()))
  device.receiveBroadcast(deletedMessage)
  await countAttempt(page)
  expect([await page.drafts.all(), page.drafts.unsavedIds()]).toEqual([[], []])
})

it.each([
  ['the message of the other tab', (device: FakeDevice) => device.receiveBroadcast(deletedMessage)],
  ['a read of all drafts', (_: FakeDevice, page: Store) => page.drafts.all()],
])(
  'leaves no answers in the memory of a page whose write hangs, and that knows of the deletion by %s (LST13)',
  async (_, learn) => {
    const storage = createFailingStorage()
    const device = createFakeDevice()
    const on = openDatabase('portal', storage.factory)
    const page = await openStoreOn(on, device)
    const other = await openStoreOn(openDatabase('portal', storage.factory), createFakeDevice())
    const { draft = draftOf() } = await page.drafts.update('app-1', () => draftOf())
    const shown = await writeOnFullDisk(storage, () => type('app-1', draft, page))
    const { isDone, reportHang } = commitNextWriteLate(on)
    const typing = type('app-1', { ...shown, values: firstPassport }, page)
    await isDone
    await other.drafts.update('app-1', () => undefined, { kind: 'deleted' })
    await learn(device, page)
    reportHang()
    expect((await typing).kind).toBe('deleted')
    await countAttempt(page)
    expect([await page.drafts.all(), page.drafts.unsavedIds()]).toEqual([[], []])
  },
)

it.each([
  ['is not read', async () => undefined],
  ['is read by the page', (page: Store) => page.drafts.find('app-1')],
])(
  'mixes no answers of a deleted application, whose write hung, into its new draft, which %s before the write fails (LST13)',
  async (_, read) => {
    const { factory } = createFailingStorage()
    const device = createFakeDevice()
    const on = openDatabase('portal', factory)
    const page = await openStoreOn(on, device)
    const other = await openStoreOn(openDatabase('portal', factory), createFakeDevice())
    const { draft = draftOf() } = await page.drafts.update('app-1', () => draftOf())
    const { isDone, reportHang } = commitNextWriteLate(on)
    const typing = type('app-1', draft, page)
    await isDone
    await other.drafts.update('app-1', () => undefined, { kind: 'deleted' })
    device.receiveBroadcast(deletedMessage)
    const values = { ...emptyForm(), surname: 'Mbock' }
    await other.drafts.update('app-1', () => draftOf({ values }))
    await read(page)
    reportHang()
    expect((await typing).kind).toBe('deleted')
    await countAttempt(page)
    expect((await page.drafts.read('app-1'))?.values).toEqual(values)
    expect(await page.revisions('app-1')).toEqual([])
  },
)

it('accepts a form that is opened after the deletion, as after a restore of the server (LST13, D62)', async () => {
  await store.drafts.update('app-1', () => draftOf())
  await remove('app-1')
  const first = await type('app-1', draftOf({ savedAt: 0 }))
  expect(first.kind).toBe('saved')
  expect((await type('app-1', first.draft ?? draftOf())).kind).toBe('saved')
})

it('keeps what a page could not save in another draft, which has got the id of the deleted application and lost it again (LST13, D63)', async () => {
  const storage = createFailingStorage()
  const open = () => openStoreOn(openDatabase('portal', storage.factory), createFakeDevice())
  const [page, other] = [await open(), await open()]
  await other.drafts.update('app-1', () => draftOf())
  await other.drafts.update('app-1', () => undefined, { kind: 'deleted' })
  await other.drafts.update('local-1', () => draftOf())
  await other.drafts.move('local-1', 'app-1', draft => draft)
  const shown = (await page.drafts.read('app-1')) ?? draftOf()
  await writeOnFullDisk(storage, () => type('app-1', shown, page))
  // Another tab starts the application again, because the server does not know it.
  await other.drafts.move('app-1', 'local-2', draft => draft, { isForwarding: false })
  await countAttempt(page)
  expect((await other.drafts.read('app-1'))?.values).toMatchObject(minorWithRepresentative)
})

it('deletes what is cached of this application and of this applicant alone (LST11)', async () => {
  await store.responses.write('readData {"params":{"id":"app-1"}}', 'answers')
  await store.responses.write('readData {"params":{"id":"app-2"}}', 'others')
  await signIn('bob')
  await store.responses.write('readData {"params":{"id":"app-1"}}', 'of bob')
  await signIn('ada')
  await remove('app-1')
  expect(await store.responses.read('readData {"params":{"id":"app-1"}}')).toBeUndefined()
  expect(await store.responses.read('readData {"params":{"id":"app-2"}}')).toBe('others')
  await signIn('bob')
  expect(await store.responses.read('readData {"params":{"id":"app-1"}}')).toBe('of bob')
})

it.each([
  ['12', '123', 'a12-b'],
  ['app-1', 'app-10', 'app-1-2'],
])(
  'deletes what is cached of %s, and of no other application or kind of number (LST11)',
  async (id, longer, random) => {
    const own = [
      `readData {"params":{"id":"${id}"}}`,
      `listPayments {"query":{"applicationId":"${id}","lastSuccess":"true"}}`,
      `listPaymentAttempts {"params":{"id":"${id}"}}`,
      `receipt ${id} for-${longer}`,
      `for ${id}`,
      `deletion-request ${id}`,
    ]
    const others = [
      `readData {"params":{"id":"${longer}"}}`,
      `receipt ${longer} for-${id}`,
      `for ${longer}`,
      `deletion-request ${longer}`,
      `deleted ${longer}`,
      `addresses ${random}`,
      // An applicant or an appointment may have the number of an application.
      `listApplications {"query":{"applicantId":"${id}"}}`,
      `lost-steps ${id}`,
      `readAppointment {"params":{"id":"${id}"},"query":{"lg":"fr"}}`,
    ]
    for (const name of [...own, ...others]) await store.responses.write(name, 'cached')
    await remove(id)
    expect((await store.responses.namesWith('')).toSorted()).toEqual([...others, `deleted ${id}`].toSorted())
  },
)
