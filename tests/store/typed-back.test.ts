import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { FormValues } from '#contract/application.ts'
import { type Database, openDatabase } from '#store/database.ts'
import type { Draft } from '#store/draft.ts'
import { StorageFault } from '#store/storage-fault.ts'
import type { Store } from '#store/store.ts'
import { afterSent } from '#sync/merge-draft.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { createFailingStorage, type FailingStorage } from '#support/providers/failing-storage.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import {
  commitNextWriteLate,
  countAttempt,
  openStoreOn,
  reportNextWriteLate,
  saveDraft,
  typeInForm,
  whileReadsFail,
  writeOnFullDisk,
} from './store-fixture.ts'

const { surname } = firstPassport
const base = { version: 1, additionalData: '', values: firstPassport, at: 1 }
const corrected = { ...firstPassport, surname: 'Mbock' }

let storage: FailingStorage
let database: Database
let store: Store
/** A second tab of the same applicant. */
let other: Store
let nowMs: number

beforeEach(async () => {
  storage = createFailingStorage()
  nowMs = 1
  database = openDatabase('portal', storage.factory)
  store = await openPage(database)
  other = await openPage()
})
afterEach(() => void vi.restoreAllMocks())

describe('an answer that the applicant types back to that of the server (D30, D32)', () => {
  it('stays when only the memory of the page has it, and another tab saves the draft', async () => {
    const shown = await saveDraft(store, { base, values: corrected })
    nowMs = 2
    await writeOnFullDisk(storage, () => type({ surname }, shown))
    await countAttempt(other)
    expect(await storedSurname()).toBe(surname)
  })

  it('stays when another tab has saved it, and the memory of the page has an earlier answer', async () => {
    const shown = await saveDraft(store, { base, values: corrected })
    nowMs = 2
    await writeOnFullDisk(storage, () => type({ surname: 'Mvondo' }, shown))
    nowMs = 3
    await type({ surname }, shown, other)
    expect(await storedSurname()).toBe(surname)
    await countAttempt(store)
    expect((await store.revisions('app-1')).map(({ values }) => values.surname)).toContain('Mvondo')
  })
})

describe('an answer that is typed back while another write of the page saves the one before (D30)', () => {
  let saved: Draft
  /** In the memory of the page alone. */
  let shown: Draft
  beforeEach(async () => {
    saved = await saveDraft(store, { base })
    shown = await writeOnFullDisk(storage, () => type({ surname: 'Mbock' }, saved))
    nowMs = 2
  })

  it('stays when the page cannot save it yet', async () => {
    const { isDone, report } = reportNextWriteLate(database)
    const syncing = countAttempt(store)
    await isDone
    await typeWithoutReads({ surname }, shown)
    report()
    await syncing
    expect(await store.drafts.read('app-1')).toMatchObject({ attempts: 1, values: { surname } })
  })

  it('replaces no other answer that another tab has saved before that write', async () => {
    await type({ givenName: 'Paule' }, saved, other)
    const { isDone, report } = reportNextWriteLate(database)
    const syncing = countAttempt(store)
    await isDone
    await typeWithoutReads({ surname }, shown)
    report()
    await syncing
    expect(await store.drafts.read('app-1')).toMatchObject({ values: { surname, givenName: 'Paule' } })
  })

  it('replaces no other answer that another tab has saved before the move of the draft (D33)', async () => {
    await type({ givenName: 'Paule' }, saved, other)
    const { isDone, report } = reportNextWriteLate(database)
    const moving = store.drafts.move('app-1', 'app-2', draft => draft)
    await isDone
    await typeWithoutReads({ surname }, shown)
    report()
    await moving
    expect(await store.drafts.read('app-2')).toMatchObject({ values: { surname, givenName: 'Paule' } })
  })

  it('stays when it is saved, and the other write is in the memory of the page', async () => {
    const { isDone, report } = reportNextWriteLate(database)
    const typing = type({ surname }, shown)
    await isDone
    await whileReadsFail(database, () => countAttempt(store))
    report()
    expect((await typing).kind).toBe('saved')
    expect(await store.drafts.read('app-1')).toMatchObject({ values: { surname } })
  })

  it('stays when the page learns late that the one before is on the disk, and cannot read it', async () => {
    const { isDone, report } = reportNextWriteLate(database)
    const typing = type({ surname: 'Mvondo' }, shown)
    await isDone
    await whileReadsFail(database, () => countAttempt(store))
    report()
    await typeWithoutReads({ surname: 'Mbock' }, (await typing).draft ?? shown)
    expect(await storedSurname()).toBe('Mbock')
  })

  it('stays when it is on the disk, and the page does not know that yet', async () => {
    const { isDone, report } = reportNextWriteLate(database)
    const typing = type({ surname }, shown)
    await isDone
    await countAttempt(store)
    report()
    expect((await typing).kind).toBe('saved')
    expect(await store.drafts.read('app-1')).toMatchObject({ attempts: 1, values: { surname } })
  })

  it('replaces no answer that another tab types later, when its write hangs and the browser does it all the same', async () => {
    const { isDone, reportHang } = commitNextWriteLate(database)
    const typing = type({ surname }, shown)
    await isDone
    const inOther = await store.drafts.read('app-1')
    nowMs = 3
    await type({ surname: 'Mvondo' }, inOther ?? shown, other)
    reportHang()
    expect((await typing).kind, 'the page has read it').toBe('saved')
    expect(await store.drafts.read('app-1')).toMatchObject({ values: { surname: 'Mvondo' } })
  })

  it('leaves the one that another tab has replaced among the earlier answers when the page reads the row, written without them, before the write hangs (D63)', async () => {
    await type({ surname: 'Mvondo' }, saved, other)
    vi.spyOn(database, 'transaction')
      .mockRejectedValueOnce(new StorageFault('full'))
      .mockRejectedValueOnce(new StorageFault('full'))
    const { isDone, reportHang } = commitNextWriteLate(database)
    const syncing = countAttempt(store)
    await isDone
    await store.drafts.all()
    reportHang()
    expect((await syncing).draft?.values.surname).toBe('Mvondo')
    await countAttempt(store)
    expect((await store.revisions('app-1')).map(({ values }) => values.surname)).toContain('Mbock')
  })

  it('stays when the page reads the old id during the move to the id of the server (D33)', async () => {
    const { isDone, report } = reportNextWriteLate(database)
    const moving = store.drafts.move('app-1', 'app-2', draft => draft)
    await isDone
    await store.drafts.read('app-1')
    await typeWithoutReads({ surname }, shown, 'app-2')
    report()
    expect(await moving).toBe('moved')
    expect(await storedSurname('app-2')).toBe(surname)
  })

  it('stays when the other write moves the draft to the id of the server (D33)', async () => {
    const { isDone, report } = reportNextWriteLate(database)
    const moving = store.drafts.move('app-1', 'app-2', draft => draft)
    await isDone
    await typeWithoutReads({ surname }, shown)
    report()
    expect(await moving).toBe('moved')
    expect(await storedSurname('app-2')).toBe(surname)
  })

  it('stays when the move to the id of the server hangs, and the browser does it all the same (D33)', async () => {
    const { isDone, reportHang } = commitNextWriteLate(database)
    const moving = store.drafts.move('app-1', 'app-2', draft => draft)
    await isDone
    reportHang()
    await expect(moving).rejects.toThrow('hangs')
    await typeWithoutReads({ surname }, shown)
    expect(await store.drafts.resolveId('app-1')).toBe('app-2')
    expect(await storedSurname('app-2')).toBe(surname)
  })
})

it('an answer that is typed back stays when the page cannot save it yet, and a write that failed has put the draft from before its save into the memory (D30)', async () => {
  const saved = await saveDraft(store, { base })
  const { isDone, report } = reportNextWriteLate(database)
  const typing = type({ surname: 'Mbock' }, saved)
  await isDone
  await whileReadsFail(database, () => countAttempt(store))
  report()
  const shown = (await typing).draft ?? saved
  nowMs = 2
  await typeWithoutReads({ surname }, shown)
  expect(await storedSurname()).toBe(surname)
})

it('an answer that is typed back after it was sent stays when the page cannot save it yet, and a write that failed has put it into the memory as sent (D30)', async () => {
  const sending = { key: 'key-1', values: corrected, complete: false, baseVersion: 1, additionalData: '' }
  const saved = await saveDraft(store, { base, values: corrected, sending })
  const { isDone, report } = reportNextWriteLate(database)
  const typing = type({ surname: 'Mvondo' }, saved)
  await isDone
  await whileReadsFail(database, () =>
    store.drafts.update('app-1', draft => draft && afterSent(draft, sending, { version: 2, at: 2 })),
  )
  report()
  const shown = (await typing).draft ?? saved
  nowMs = 2
  await typeWithoutReads(corrected, shown)
  expect(await storedSurname()).toBe('Mbock')
})

it('an answer that is typed stays when the page learns late that it is on the disk, and only the memory has another one of the server (D32)', async () => {
  const saved = await saveDraft(store, { base })
  const { isDone, report } = reportNextWriteLate(database)
  const typing = type({ surname: 'Mbock' }, saved)
  await isDone
  const values = { ...firstPassport, surname: 'Mvondo' }
  await whileReadsFail(database, () =>
    store.drafts.update(
      'app-1',
      draft => draft && { ...draft, values, base: { ...base, version: 2, values } },
    ),
  )
  report()
  await typing
  expect(await storedSurname()).toBe('Mbock')
})

it('an answer that another tab has typed stays when this page learns late of an older write of its own, and has read the row since (D30)', async () => {
  const saved = await saveDraft(store, { base })
  const { isDone, report } = reportNextWriteLate(database)
  const typing = type({ surname: 'Mbock' }, saved)
  await isDone
  nowMs = 2
  await type({ surname: 'Mvondo' }, (await other.drafts.read('app-1')) ?? saved, other)
  const shown = (await store.drafts.read('app-1')) ?? saved
  nowMs = 3
  await type({ surname: 'Ekambi' }, shown, other)
  nowMs = 4
  await typeWithoutReads({ motherSurname: 'Ngo' }, shown)
  report()
  await typing
  expect(await store.drafts.read('app-1')).toMatchObject({
    values: { surname: 'Ekambi', motherSurname: 'Ngo' },
  })
})

it('an answer that another tab has saved with a move stays when the memory of this page follows the move during a write (D33)', async () => {
  const saved = await saveDraft(store)
  nowMs = 2
  await typeWithoutReads({ surname: 'Mbock' }, saved)
  await other.drafts.move('app-1', 'app-2', draft => ({
    ...draft,
    values: { ...draft.values, givenName: 'Paule' },
  }))
  const { isDone, report } = reportNextWriteLate(database)
  const syncing = countAttempt(store, 'app-2')
  await isDone
  await store.drafts.read('app-1')
  report()
  await syncing
  expect(await store.drafts.read('app-2')).toMatchObject({
    values: { surname: 'Mbock', givenName: 'Paule' },
  })
})

it('a Submit that only the memory of this page has waits when the page learns late that it has saved an answer with a fault (D30, D33)', async () => {
  const saved = await saveDraft(store, { base, submitted: true })
  const { isDone, report } = reportNextWriteLate(database)
  const typing = type({ surname: '' }, saved)
  await isDone
  await whileReadsFail(database, () => countAttempt(store))
  report()
  await typing
  const draft = await whileReadsFail(database, () => store.drafts.read('app-1'))
  expect(draft).toMatchObject({ submitted: true, faulty: true, values: { surname: '' } })
})

it('an answer whose write hung, although the browser did it, does not come back after another tab has typed the one before (D30)', async () => {
  const saved = await saveDraft(store, { base })
  const { isDone, reportHang } = commitNextWriteLate(database)
  const typing = type({ surname: 'Mbock' }, saved)
  await isDone
  reportHang()
  const shown = (await typing).draft ?? saved
  await store.drafts.all()
  nowMs = 2
  await type({ surname }, shown, other)
  await countAttempt(store)
  expect(await storedSurname()).toBe(surname)
})

it('an answer that is typed back stays when the page cannot save it yet, and the page had read all drafts between the write of the one before and the report that this write hung (D30)', async () => {
  const saved = await saveDraft(store, { base })
  const { isDone, reportHang } = commitNextWriteLate(database)
  const typing = type({ surname: 'Mbock' }, saved)
  await isDone
  await store.drafts.all()
  reportHang()
  const shown = (await typing).draft ?? saved
  nowMs = 2
  await typeWithoutReads({ surname }, shown)
  expect(await storedSurname()).toBe(surname)
})

it('an answer that is typed back and sent stays, although the write of the one before hung and the browser did it all the same, and another tab saves the draft (D30)', async () => {
  const saved = await saveDraft(store)
  const { isDone, reportHang } = commitNextWriteLate(database)
  const typing = type({ surname: 'Mbock' }, saved)
  await isDone
  reportHang()
  const shown = (await typing).draft ?? saved
  nowMs = 2
  await typeWithoutReads({ surname }, shown)
  await whileReadsFail(database, () => store.drafts.update('app-1', draft => draft && { ...draft, base }))
  await store.drafts.all()
  await countAttempt(other)
  await countAttempt(store)
  expect(await storedSurname()).toBe(surname)
})

it('an answer that is typed back stays when the page sends it after it has read the late write of the one before, and another tab saves the draft (D30)', async () => {
  const saved = await saveDraft(store, { base: { ...base, values: { ...firstPassport, surname: 'Ekambi' } } })
  const { isDone, reportHang } = commitNextWriteLate(database)
  const typing = type({ surname: 'Mbock' }, saved)
  await isDone
  reportHang()
  const shown = (await typing).draft ?? saved
  nowMs = 2
  await typeWithoutReads({ surname }, shown)
  await store.drafts.all()
  const sent = { ...base, version: 2 }
  await whileReadsFail(database, () =>
    store.drafts.update('app-1', draft => draft && { ...draft, base: sent }),
  )
  await countAttempt(other)
  await countAttempt(store)
  expect(await storedSurname()).toBe(surname)
})

it('an answer that is typed back stays when another tab has typed a different one before, and this page could not read the device (D30)', async () => {
  const saved = await saveDraft(store, { base })
  nowMs = 2
  const shown = (await typeWithoutReads({ surname: 'Mbock' }, saved)).draft ?? saved
  nowMs = 3
  await type({ surname: 'Mvondo' }, saved, other)
  nowMs = 4
  await typeWithoutReads({ surname }, shown)
  expect(await storedSurname()).toBe(surname)
  await countAttempt(store)
  expect((await store.revisions('app-1')).map(({ values }) => values.surname)).toContain('Mvondo')
})

it('an answer that this page has sent, and that only its memory has, gives way to a newer one of the server (D32)', async () => {
  const saved = await saveDraft(store, { base })
  await writeOnFullDisk(storage, () => type({ surname: 'Mbock' }, saved))
  const sent = { ...base, version: 2, values: corrected }
  await writeOnFullDisk(storage, () =>
    store.drafts.update('app-1', draft => draft && { ...draft, base: sent }),
  )
  const values = { ...firstPassport, surname: 'Mvondo' }
  await other.drafts.update(
    'app-1',
    draft => draft && { ...draft, values, base: { ...base, version: 3, values } },
  )
  const draft = await store.drafts.read('app-1')
  expect(draft?.values.surname).toBe('Mvondo')
  expect(draft?.theirs).toBeUndefined()
})

it('an answer that is typed back over one that this page has sent from its memory stays when another tab reads the one before from the server (D30, D32)', async () => {
  const saved = await saveDraft(store, { base })
  let shown = await writeOnFullDisk(storage, () => type({ surname: 'Mbock' }, saved))
  const sent = { ...base, version: 2, values: corrected }
  shown = await writeOnFullDisk(storage, () =>
    store.drafts.update('app-1', draft => draft && { ...draft, base: sent }),
  )
  nowMs = 2
  shown = await writeOnFullDisk(storage, () => type({ surname: 'Mvondo' }, shown))
  await writeOnFullDisk(storage, () => type({ surname }, shown))
  await writeOnFullDisk(storage, () => countAttempt(store))
  await other.drafts.update('app-1', draft => draft && { ...draft, values: corrected, base: sent })
  expect(await storedSurname()).toBe(surname)
})

it('an answer that another tab has typed is no answer of this page, although this page had typed over one of the server (D32)', async () => {
  const saved = await saveDraft(store, { base })
  const atServer = { ...base, version: 2, values: corrected }
  let shown = await writeOnFullDisk(storage, () =>
    store.drafts.update('app-1', draft => draft && { ...draft, values: corrected, base: atServer }),
  )
  shown = await writeOnFullDisk(storage, () => type({ surname: 'Mvondo' }, shown))
  nowMs = 2
  const inOther = (await type({ surname: 'Ekambi' }, saved, other)).draft ?? saved
  shown = await writeOnFullDisk(storage, () => countAttempt(store))
  expect(shown.values.surname).toBe('Ekambi')
  nowMs = 3
  await type({ surname: 'Essomba' }, inOther, other)
  nowMs = 4
  await typeWithoutReads({ givenName: 'Paule' }, shown)
  expect(await storedSurname()).toBe('Essomba')
})

it('an answer that only the memory of the page has stays while the applicant still has to choose, and another tab saves the one before (D30, D32)', async () => {
  const theirs = { ...base, version: 2, values: { ...firstPassport, surname: 'Mvondo' } }
  const saved = await saveDraft(store, { base, theirs, values: corrected })
  await writeOnFullDisk(storage, () => type({ surname: 'Ekambi' }, saved))
  nowMs = 2
  await type({ givenName: 'Paule' }, saved, other)
  await countAttempt(store)
  expect(await store.drafts.read('app-1')).toMatchObject({
    values: { surname: 'Ekambi', givenName: 'Paule' },
  })
})

describe('an answer that another tab has saved, while the memory of the page has others (D30)', () => {
  let shown: Draft
  beforeEach(async () => {
    const saved = await saveDraft(store, { base })
    shown = await writeOnFullDisk(storage, () => type({ surname: 'Mbock' }, saved))
    nowMs = 2
    await type({ givenName: 'Paule' }, saved, other)
    nowMs = 3
  })

  it('stays when the move to the id of the server hangs, and the browser does it all the same (D33)', async () => {
    const { isDone, reportHang } = commitNextWriteLate(database)
    const moving = store.drafts.move('app-1', 'app-2', draft => draft)
    await isDone
    reportHang()
    await expect(moving).rejects.toThrow('hangs')
    expect(await store.drafts.resolveId('app-1')).toBe('app-2')
    expect(await store.drafts.read('app-2')).toMatchObject({
      values: { surname: 'Mbock', givenName: 'Paule' },
    })
  })

  it('stays when a write hangs, the browser does it all the same, and another write of the page fails before the page learns of the hang', async () => {
    const { isDone, reportHang } = commitNextWriteLate(database)
    const typing = type({ motherSurname: 'Ngo' }, shown)
    await isDone
    await whileReadsFail(database, () => countAttempt(store))
    reportHang()
    expect((await typing).kind).toBe('not-saved')
    expect(await store.drafts.read('app-1')).toMatchObject({
      values: { surname: 'Mbock', givenName: 'Paule', motherSurname: 'Ngo' },
    })
  })
})

it('an answer that is typed during a deletion in another tab does not come back when its write hangs (LST13)', async () => {
  const saved = await saveDraft(store, { base })
  const shown = await writeOnFullDisk(storage, () => type({ surname: 'Mbock' }, saved))
  const { isDone, reportHang } = commitNextWriteLate(database)
  const typing = type({ motherSurname: 'Ngo' }, shown)
  await isDone
  await other.drafts.update('app-1', () => undefined, { kind: 'deleted' })
  expect(await store.drafts.read('app-1')).toBeUndefined()
  reportHang()
  expect((await typing).kind).toBe('deleted')
  await countAttempt(store)
  expect(await other.drafts.read('app-1')).toBeUndefined()
})

it('an answer that another tab types back stays, although the form of a write that hung and was never done has the same answer (D30)', async () => {
  const saved = await saveDraft(store, { base })
  vi.spyOn(database, 'transaction').mockRejectedValueOnce(new StorageFault('hangs'))
  const shown = (await type({ surname: 'Mbock' }, saved)).draft ?? saved
  const inOther = (await type({ givenName: 'Paule' }, saved, other)).draft ?? saved
  nowMs = 2
  await writeOnFullDisk(storage, () => type({ motherSurname: 'Ngo' }, shown))
  nowMs = 3
  await type({ givenName: firstPassport.givenName }, inOther, other)
  await countAttempt(store)
  expect(await store.drafts.read('app-1')).toMatchObject({
    values: { ...firstPassport, surname: 'Mbock', motherSurname: 'Ngo' },
  })
})

it('an answer that another tab types later stays, although a write of this page with the same answer hung and was never done (D30)', async () => {
  const saved = await saveDraft(store, { base })
  vi.spyOn(database, 'transaction').mockRejectedValueOnce(new StorageFault('hangs'))
  const shown = (await type({ surname: 'Mbock' }, saved)).draft ?? saved
  const inOther = (await type({ givenName: 'Paule' }, saved, other)).draft ?? saved
  nowMs = 2
  await writeOnFullDisk(storage, () => type({ surname: 'Ekambi' }, shown))
  nowMs = 3
  await type({ surname: 'Mbock' }, inOther, other)
  expect(await storedSurname()).toBe('Mbock')
})

it('the memory of a page knows that a form was sent, although the save of its `sending` hung and the browser did it all the same (D13, D30)', async () => {
  await saveDraft(store, { base, values: corrected })
  const sending = { key: 'key-1', values: corrected, complete: false, baseVersion: 1, additionalData: '' }
  const { isDone, reportHang } = commitNextWriteLate(database)
  const preparing = store.drafts.update('app-1', draft => draft && { ...draft, sending })
  await isDone
  reportHang()
  await preparing
  await whileReadsFail(database, () =>
    store.drafts.update('app-1', draft => draft && afterSent(draft, sending, { version: 2, at: 2 })),
  )
  const draft = await store.drafts.read('app-1')
  expect(draft?.sending).toBeUndefined()
  expect(draft?.base).toMatchObject({ version: 2, values: corrected })
})

function openPage(on = openDatabase('portal', storage.factory)) {
  return openStoreOn(on, { ...createFakeDevice(), now: () => nowMs })
}

function type(changes: Partial<FormValues>, lastKnown: Draft, page = store, id = 'app-1') {
  return typeInForm(page, changes, lastKnown, id)
}

function typeWithoutReads(changes: Partial<FormValues>, lastKnown: Draft, id = 'app-1') {
  return whileReadsFail(database, () => type(changes, lastKnown, store, id))
}

async function storedSurname(id = 'app-1') {
  return (await store.drafts.read(id))?.values.surname
}
