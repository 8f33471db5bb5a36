import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { FormValues } from '#contract/application.ts'
import { type Database, openDatabase } from '#store/database.ts'
import { type Draft, newDraft } from '#store/draft.ts'
import type { Store } from '#store/store.ts'
import { afterConfirmed } from '#sync/merge-draft.ts'
import { markSubmitted } from '#sync/sending.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { createFailingStorage, type FailingStorage } from '#support/providers/failing-storage.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import {
  commitNextWriteLate,
  countAttempt,
  openStoreOn,
  saveDraft,
  whileReadsFail,
  writeOnFullDisk,
} from './store-fixture.ts'

const otherKey = { applicantId: 'ada', draftKey: 'another secret of ada' }

type PageOptions = { database?: Database; key?: typeof otherKey }

let storage: FailingStorage
let store: Store
/** A second tab of the same applicant. */
let other: Store
let nowMs: number

beforeEach(async () => {
  storage = createFailingStorage()
  nowMs = 1
  store = await openPage()
  other = await openPage()
})
afterEach(() => void vi.restoreAllMocks())

it("keeps as an earlier answer the answer that the server's copy replaced on a full disk, when the form, which still shows it, is saved next (D63)", async () => {
  await saveDraft(store)
  const shown =
    (await type(store, { surname: 'Mbock' })).draft ?? newDraft({ values: firstPassport, tab: '' })
  await writeOnFullDisk(storage, () => replaceAnswers(store))
  const values = { ...shown.values, givenName: 'Ada' }
  const form = { values, tab: shown.tab, lastKnown: shown }
  const cause = { kind: 'typed', lastKnown: shown, formValues: values } as const
  expect(await store.drafts.update('app-1', draft => mergeScreenForm(draft, form), cause)).toMatchObject({
    kind: 'saved',
    draft: { values: { surname: firstPassport.surname, givenName: 'Ada' } },
  })
  expect(await surnamesOf(store, 'app-1')).toEqual([firstPassport.surname, 'Mbock'])
})

describe('a row that this key cannot decrypt', () => {
  it('stays when a full disk has no room for it as an earlier answer (D63)', async () => {
    await type(store, { surname: 'Mbock' })
    const database = openDatabase('portal', storage.factory)
    const withOtherKey = await openPage({ database, key: otherKey })
    refuseRevisions(database)
    expect((await type(withOtherKey, { givenName: 'Ada' })).kind).toBe('not-saved')
    expect(await surnamesOf(await openPage(), 'app-1')).toContain('Mbock')
  })

  it('becomes an earlier answer when its draft moves with answers that only the memory has (D33, D63)', async () => {
    await saveDraft(store)
    await typeOnFullDisk({ surname: 'Mbock' })
    await type(other, { givenName: 'Ada' })
    await store.clearKey({ keepsUnsaved: true })
    await store.setKey(otherKey, 'device')
    expect(await store.drafts.move('app-1', 'app-2', draft => draft)).toBe('moved')
    const earlier = await (await openPage()).revisions('app-2')
    expect(earlier.map(({ values }) => values.givenName)).toContain('Ada')
  })
})

describe('an answer that is replaced becomes an earlier answer (D63)', () => {
  it('when the device could not save it, and its draft moves with a later answer (D33)', async () => {
    await saveDraft(store)
    await typeOnFullDisk({ surname: 'Mbock' })
    nowMs = 2
    await type(other, { surname: 'Ngo' })
    expect(await store.drafts.move('app-1', 'app-2', draft => draft)).toBe('moved')
    expect(await surnamesOf(store, 'app-2')).toEqual(expect.arrayContaining(['Ngo', 'Mbock']))
  })

  it('when the newest earlier answers cannot be read', async () => {
    const database = openDatabase('portal', storage.factory)
    const reading = await openPage({ database })
    await type(store, { surname: 'Mbock' })
    const where = vi.spyOn(database.revisions, 'where').mockImplementation(() => {
      throw new DOMException('Internal error', 'UnknownError')
    })
    expect((await replaceAnswers(reading)).kind).toBe('saved')
    where.mockRestore()
    await type(reading, { travelDestination: 'Gabon' })
    expect(await surnamesOf(reading, 'app-1')).toContain('Mbock')
  })

  it('when it waits in the memory of a page while another page moves the draft (D33)', async () => {
    const database = openDatabase('portal', storage.factory)
    const full = await openPage({ database })
    await type(store, { surname: 'Mbock' })
    const makeRoom = refuseRevisions(database)
    await replaceAnswers(full)
    makeRoom()
    await store.drafts.move('app-1', 'app-2', draft => draft)
    await full.drafts.all()
    await countAttempt(full, 'app-2')
    expect(await surnamesOf(await openPage(), 'app-2')).toContain('Mbock')
  })
})

describe('answers that only the memory of a page has', () => {
  it('merge with what is typed next, under the id to which another page has moved the draft (D33)', async () => {
    await saveDraft(store)
    const shown = await typeOnFullDisk({ surname: 'Mbock' })
    await other.drafts.move('app-1', 'app-2', draft => draft)
    nowMs = 2
    const typed = { values: { ...shown.values, givenName: 'Ada' }, tab: 'PersonData', lastKnown: shown }
    const id = await store.drafts.resolveId('app-1')
    const cause = { kind: 'typed', lastKnown: shown } as const
    const saved = await store.drafts.update(id, draft => mergeScreenForm(draft, typed), cause)
    expect(saved).toMatchObject({ kind: 'saved', draft: { values: { surname: 'Mbock', givenName: 'Ada' } } })
  })

  it('stay when another page saves a later answer to another question (D30, D32)', async () => {
    await saveDraft(store)
    await typeOnFullDisk({ surname: 'Mbock' })
    nowMs = 2
    await type(other, { givenName: 'Ada' })
    expect((await store.drafts.read('app-1'))?.values).toMatchObject({ surname: 'Mbock', givenName: 'Ada' })
  })

  it('do not come back after another page has deleted their application (LST13)', async () => {
    await saveDraft(store)
    await typeOnFullDisk({ surname: 'Mbock' })
    await other.drafts.update('app-1', () => undefined, { kind: 'deleted' })
    expect(await store.drafts.read('app-1'), 'so the sync does not send them').toBeUndefined()
    await countAttempt(store)
    expect(await store.drafts.all()).toEqual([])
    expect(await other.drafts.all()).toEqual([])
  })

  it('win over an earlier write of the page that hung and that the browser did all the same (D30)', async () => {
    await saveDraft(store)
    const database = openDatabase('portal', storage.factory)
    const hanging = await openPage({ database })
    await hanging.drafts.read('app-1')
    commitNextWriteLate(database).reportHang()
    expect((await type(hanging, { surname: 'Mbock' })).kind).toBe('not-saved')
    nowMs = 2
    await whileReadsFail(database, () => type(hanging, { surname: firstPassport.surname }))
    expect((await hanging.drafts.read('app-1'))?.values.surname).toBe(firstPassport.surname)
  })

  it('are still submitted after another page has saved the draft (D33)', async () => {
    const shown = await saveDraft(store)
    const typed = { values: { ...shown.values, surname: 'Mbock' }, tab: 'PersonData', lastKnown: shown }
    const submit = (draft: Draft | undefined) =>
      markSubmitted(mergeScreenForm(draft, { ...typed, isValid: () => true }))
    storage.trouble = 'disk is full'
    await store.drafts.update('app-1', submit, { kind: 'typed', lastKnown: shown })
    storage.trouble = 'none'
    await countAttempt(other)
    const draft = await store.drafts.read('app-1')
    expect(draft).toMatchObject({ submitted: true, values: { surname: 'Mbock' } })
    expect(draft?.faulty).toBeUndefined()
  })

  it('stay submitted, but are sent only after a new check, when another page has changed an answer (D33)', async () => {
    const shown = await saveDraft(store)
    storage.trouble = 'disk is full'
    await store.drafts.update('app-1', draft => draft && markSubmitted(draft), {
      kind: 'typed',
      lastKnown: shown,
    })
    storage.trouble = 'none'
    await type(other, { givenName: '' })
    expect(await store.drafts.read('app-1')).toMatchObject({ submitted: true, faulty: true })
  })
})

describe('an answer that the device saves only after a full disk', () => {
  it('is later than an earlier request to delete the application, so the request does not count (LST15)', async () => {
    await saveLate()
    expect(await store.deletionRequests.unchangedIds()).toEqual([])
  })

  it('was typed after an earlier press of Confirm, so the confirmed form does not replace it', async () => {
    await saveLate()
    const confirmed = { version: 1, additionalData: '', values: firstPassport, at: 20 }
    const saved = await store.drafts.update('app-1', draft => afterConfirmed(draft, confirmed, firstPassport))
    expect(saved.draft?.values.surname).toBe('Mbock')
  })
})

function openPage({ database = openDatabase('portal', storage.factory), key }: PageOptions = {}) {
  return openStoreOn(database, { ...createFakeDevice(), now: () => nowMs }, key)
}

/** As a form does that was opened with `shown`. */
function type(
  page: Store,
  changes: Partial<FormValues>,
  shown = newDraft({ values: firstPassport, tab: 'PersonData' }),
) {
  return page.drafts.update(
    'app-1',
    (draft = shown) => ({ ...draft, values: { ...draft.values, ...changes } }),
    { kind: 'typed', lastKnown: shown },
  )
}

/** Types in the first page while the disk is full. Returns the draft that the memory then has. */
function typeOnFullDisk(changes: Partial<FormValues>, shown?: Draft): Promise<Draft> {
  return writeOnFullDisk(storage, () => type(store, changes, shown))
}

/** As a merge with the server's form does. */
function replaceAnswers(page: Store) {
  return page.drafts.update('app-1', draft => draft && { ...draft, values: firstPassport })
}

/** The draft is saved at 1, a deletion is requested at 6, and the answer typed at 10. The sync saves it. */
async function saveLate() {
  const base = { version: 1, additionalData: '', values: firstPassport, at: 0 }
  const shown = await saveDraft(store, { base })
  nowMs = 6
  await store.deletionRequests.add('app-1')
  nowMs = 10
  await typeOnFullDisk({ surname: 'Mbock' }, shown)
  await countAttempt(other)
  expect(await countAttempt(store)).toMatchObject({
    kind: 'saved',
    draft: { values: { surname: 'Mbock' } },
  })
}

/** The disk has room for drafts, but not for the answers that were replaced in them. Returns the function that makes room. */
function refuseRevisions(database: Database): () => void {
  let isFull = true
  database.revisions.hook('creating', () => {
    if (isFull) throw new DOMException('full', 'QuotaExceededError')
  })
  return () => void (isFull = false)
}

/** The surname of the draft and of its earlier answers. */
async function surnamesOf(page: Store, id: string) {
  const draft = await page.drafts.read(id)
  return [draft?.values.surname, ...(await page.revisions(id)).map(({ values }) => values.surname)]
}
