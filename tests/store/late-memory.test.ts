import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { FormValues } from '#contract/application.ts'
import { type Database, openDatabase } from '#store/database.ts'
import { type Draft, newDraft } from '#store/draft.ts'
import type { Store } from '#store/store.ts'
import { markStuck } from '#sync/sync-reaction.ts'
import { markSubmitted } from '#sync/sending.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { createFailingStorage, type FailingStorage } from '#support/providers/failing-storage.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import {
  ada,
  commitNextWriteLate,
  countAttempt,
  openStoreOn,
  saveDraft,
  typeInForm,
  whileReadsFail,
  writeOnFullDisk,
} from './store-fixture.ts'

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

describe('a form that is opened after a restored server has listed a deleted application again (LST13, D62)', () => {
  it('saves what is typed after a full disk, and does not say that the application is deleted', async () => {
    await saveDraft(store)
    await remove(store)
    const opened = newDraft({ values: firstPassport, tab: 'PersonData' })
    const shown = await typeOnFullDisk({ surname: 'Mbock' }, opened)
    const saved = await type(store, { givenName: 'Ada' }, shown)
    expect(saved).toMatchObject({ kind: 'saved', draft: { values: { surname: 'Mbock', givenName: 'Ada' } } })
  })

  it('saves nothing after another tab has saved the application and deleted it again', async () => {
    await saveDraft(store)
    await remove(store)
    const opened = newDraft({ values: firstPassport, tab: 'PersonData' })
    const shown = await typeOnFullDisk({ surname: 'Mbock' }, opened)
    await other.drafts.find('app-1')
    expect((await type(other, {}, opened)).kind).toBe('saved')
    await remove(other)
    await countAttempt(store)
    expect(await store.drafts.all()).toEqual([])
    expect(await other.drafts.all()).toEqual([])
    expect((await type(store, { givenName: 'Ada' }, shown)).kind).toBe('deleted')
  })
})

describe('answers that only the memory of a page has', () => {
  it('do not come back after another page has deleted their application, when only reads failed (LST13)', async () => {
    const database = openDatabase('portal', storage.factory)
    const page = await openPage({ database })
    await page.drafts.read('app-1')
    const { draft: shown } = await whileReadsFail(database, () => type(page, { surname: 'Mbock' }))
    await remove(other)
    await countAttempt(page)
    expect(await page.drafts.all()).toEqual([])
    expect(await other.drafts.all()).toEqual([])
    expect((await type(page, { givenName: 'Ada' }, shown)).kind).toBe('deleted')
  })

  it('do not come back after another page has deleted their application, which had no row yet (LST13)', async () => {
    await typeOnFullDisk({ surname: 'Mbock' })
    await remove(other)
    await countAttempt(store)
    expect(await store.drafts.all()).toEqual([])
    expect(await other.drafts.all()).toEqual([])
  })

  it('do not come back after this page has deleted their application, and cannot read the device (LST13)', async () => {
    const database = openDatabase('portal', storage.factory)
    const page = await openPage({ database })
    const shown = await saveDraft(page)
    await remove(page)
    const typed = await whileReadsFail(database, () => type(page, { surname: 'Mbock' }, shown))
    expect(typed.kind).toBe('deleted')
    await countAttempt(page)
    expect(await page.drafts.all()).toEqual([])
    expect(await other.drafts.all()).toEqual([])
  })

  it('are still submitted after another page has moved the draft to the server’s id (D33)', async () => {
    const shown = await saveDraft(store)
    storage.trouble = 'disk is full'
    await submit(shown)
    storage.trouble = 'none'
    await other.drafts.move('app-1', 'app-2', draft => draft)
    expect(await store.drafts.resolveId('app-1')).toBe('app-2')
    expect(await store.drafts.read('app-2')).toMatchObject({ submitted: true, values: firstPassport })
  })

  it('win over an earlier write that hung while another write of the page failed (D30)', async () => {
    const { database, hanging, typing, reportHang } = await typeWithLateWrite()
    await whileReadsFail(database, async () => {
      await countAttempt(hanging)
      reportHang()
      const { draft: withTyped } = await typing
      nowMs = 2
      await type(hanging, { surname: firstPassport.surname }, withTyped)
    })
    expect((await hanging.drafts.read('app-1'))?.values.surname).toBe(firstPassport.surname)
  })

  it('are not submitted again after another page has sent them and the server has refused them (D33)', async () => {
    const shown = await saveDraft(store)
    const database = openDatabase('portal', storage.factory)
    const hanging = await openPage({ database })
    const { reportHang, isDone } = commitNextWriteLate(database)
    const submitting = submit(shown, hanging)
    await isDone
    reportHang()
    await submitting
    await other.drafts.update('app-1', draft => draft && markStuck(draft, { kind: 'refused', faults: [] }))
    const refused = await hanging.drafts.read('app-1')
    expect(refused).toMatchObject({ stuck: { kind: 'refused' } })
    const { draft } = await type(hanging, { surname: 'Mbock' }, refused)
    expect(draft?.submitted, 'only a press on Submit submits the corrected answers').toBeUndefined()
  })

  it('win over an earlier write that hung, after another page has saved the row of that write (D30)', async () => {
    const { database, hanging, typing, reportHang } = await typeWithLateWrite()
    reportHang()
    const { draft: withTyped } = await typing
    await countAttempt(other)
    nowMs = 2
    await whileReadsFail(database, () => type(hanging, { surname: firstPassport.surname }, withTyped))
    expect((await hanging.drafts.read('app-1'))?.values.surname).toBe(firstPassport.surname)
  })

  it('are forgotten all at once when the session ends: no listener sees a part of them (D31)', async () => {
    await typeOnFullDisk({ surname: 'Mbock' })
    await writeOnFullDisk(storage, () =>
      store.drafts.update('app-2', () => newDraft({ values: firstPassport, tab: 'PersonData' })),
    )
    const seen: string[][] = []
    const stop = store.drafts.watch(() => void seen.push(store.drafts.unsavedIds()))
    const ending = store.clearKey()
    stop()
    await ending
    expect(seen).toEqual([[]])
  })

  it('are gone after the applicant has deleted the account, also those of a write that fails later (D112)', async () => {
    const { hanging, typing, reportHang } = await typeWithLateWrite()
    await hanging.erase()
    reportHang()
    const { kind, draft } = await typing
    await hanging.setKey(ada, 'device')
    expect(await hanging.drafts.all()).toEqual([])
    expect([kind, draft], 'the form says that it is not saved').toEqual(['not-saved', undefined])
  })
})

describe('a form of a page that knows its draft only from the list, because the storage fails', () => {
  let database: Database
  let page: Store

  beforeEach(async () => {
    const base = { version: 1, additionalData: '', values: { ...firstPassport, surname: 'Server' }, at: 1 }
    await saveDraft(store, { base })
    database = openDatabase('portal', storage.factory)
    page = await openPage({ database })
    await page.drafts.all()
  })

  /** Opens the form and saves these changes in it, while the page cannot read the draft. */
  function typeWithoutReads(changes: Partial<FormValues>, atMs = 3) {
    nowMs = atMs
    return whileReadsFail(database, async () => {
      const shown = await page.drafts.read('app-1')
      return type(page, changes, shown)
    })
  }

  it('replaces no answer that another tab has saved since, except those that are typed in it (D30)', async () => {
    nowMs = 2
    await type(other, { surname: 'Mbock' })
    const typed = await typeWithoutReads({ givenName: 'Ada' })
    expect(typed).toMatchObject({
      kind: 'not-saved',
      draft: { values: { surname: firstPassport.surname, givenName: 'Ada' } },
    })
    expect((await page.drafts.read('app-1'))?.values).toMatchObject({ surname: 'Mbock', givenName: 'Ada' })
    await countAttempt(page)
    expect((await other.drafts.read('app-1'))?.values).toMatchObject({ surname: 'Mbock', givenName: 'Ada' })
  })

  it('keeps an answer of the server that is typed back in it (D32)', async () => {
    await typeWithoutReads({ surname: 'Server' })
    await countAttempt(page)
    expect((await other.drafts.read('app-1'))?.values.surname).toBe('Server')
  })

  it('keeps what is typed in it over the answer that it has shown, also when the clock is set back in between (D30)', async () => {
    await typeWithoutReads({ surname: 'Mbock' }, 0)
    await countAttempt(page)
    expect((await other.drafts.read('app-1'))?.values.surname).toBe('Mbock')
  })

  it('does not bring back the application that another tab has deleted since (LST13)', async () => {
    await typeWithoutReads({ givenName: 'Ada' })
    await remove(other)
    await countAttempt(page)
    expect(await other.drafts.all()).toEqual([])
  })
})

it('a form that begins with the copy of the server keeps its verified contact when the page could not read the draft (PER14)', async () => {
  await saveDraft(store, { values: { ...firstPassport, email: 'old@example.org' } })
  const database = openDatabase('portal', storage.factory)
  const page = await openPage({ database })
  const base = { version: 1, additionalData: '', values: firstPassport, at: 0 }
  const opened = newDraft({ values: { ...firstPassport, email: 'verified@example.org' }, tab: '', base })
  await whileReadsFail(database, () => type(page, { givenName: 'Ada' }, opened))
  await countAttempt(page)
  const kept = await other.drafts.read('app-1')
  expect(kept?.values).toMatchObject({ email: 'verified@example.org', givenName: 'Ada' })
})

it('a form whose save fails after its page has moved the draft replaces no answer of another tab (D30, D33)', async () => {
  const database = openDatabase('portal', storage.factory)
  const page = await openPage({ database })
  await saveDraft(page)
  await page.drafts.move('app-1', 'app-2', draft => draft)
  const moved = await other.drafts.read('app-2')
  if (!moved) throw new Error('The draft has not moved')
  nowMs = 2
  await typeInForm(other, { surname: 'Mbock' }, moved, 'app-2')
  nowMs = 3
  await whileReadsFail(database, () => typeInForm(page, { givenName: 'Ada' }, moved, 'app-2'))
  await countAttempt(page, 'app-2')
  expect((await other.drafts.read('app-2'))?.values).toMatchObject({ surname: 'Mbock', givenName: 'Ada' })
})

function openPage({ database = openDatabase('portal', storage.factory) } = {}) {
  return openStoreOn(database, { ...createFakeDevice(), now: () => nowMs })
}

function type(
  page: Store,
  changes: Partial<FormValues>,
  shown = newDraft({ values: firstPassport, tab: 'PersonData' }),
) {
  return typeInForm(page, changes, shown)
}

/** Types in the first page while the disk is full. Returns the draft that the memory then has. */
function typeOnFullDisk(changes: Partial<FormValues>, shown?: Draft): Promise<Draft> {
  return writeOnFullDisk(storage, () => type(store, changes, shown))
}

/**
 * Types a surname in a page of its own. Its write is on the disk already, but `typing` resolves only after `reportHang`, as
 * after a write that took too long.
 */
async function typeWithLateWrite() {
  const shown = await saveDraft(store)
  const database = openDatabase('portal', storage.factory)
  const hanging = await openPage({ database })
  await hanging.drafts.read('app-1')
  const { reportHang, isDone } = commitNextWriteLate(database)
  const typing = type(hanging, { surname: 'Mbock' }, shown)
  await isDone
  return { database, hanging, typing, reportHang }
}

function submit(lastKnown: Draft, page = store) {
  return page.drafts.update('app-1', draft => draft && markSubmitted(draft), { kind: 'typed', lastKnown })
}

function remove(page: Store) {
  return page.drafts.update('app-1', () => undefined, { kind: 'deleted' })
}
