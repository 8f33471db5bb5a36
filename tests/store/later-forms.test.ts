import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { FormValues } from '#contract/application.ts'
import { doNothing } from '#device/do-nothing.ts'
import { type Database, openDatabase } from '#store/database.ts'
import type { Draft, ServerForm } from '#store/draft.ts'
import { StorageFault } from '#store/storage-fault.ts'
import type { Store } from '#store/store.ts'
import { rebase } from '#sync/merge-draft.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { createFailingStorage, type FailingStorage } from '#support/providers/failing-storage.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import {
  countAttempt,
  openStoreOn,
  saveDraft,
  typeInForm,
  whileReadsFail,
  writeOnFullDisk,
} from './store-fixture.ts'

const base = formOf(1, 'Known')
const second = formOf(2, 'Second')

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

it.each(['before', 'only after'])(
  'an answer that is typed back stays when the write of the one before hangs, another write fails, and the first one is done after all; the page reads the row %s another tab saves it (D30)',
  async when => {
    const saved = await saveKnown()
    const lateWrite = hangNextWrite()
    const shown = (await type({ surname: 'Mbock' }, saved)).draft ?? saved
    nowMs = 2
    await writeOnFullDisk(storage, () => type({ surname: 'Known' }, shown))
    await writeOnFullDisk(storage, () => countAttempt(store))
    await lateWrite.run()
    expect((await other.drafts.read('app-1'))?.values.surname).toBe('Mbock')
    if (when === 'before') await store.drafts.read('app-1')
    await countAttempt(other)
    expect(await surnames()).toBe('Known')
  },
)

describe('an answer of a page that knows a later form of the server than the row (D30, D32)', () => {
  it('stays when the row has only the answer that this page has sent before', async () => {
    const saved = await saveKnown()
    let shown = await writeOnFullDisk(storage, () => type({ surname: 'Second' }, saved))
    shown = await writeOnFullDisk(storage, () => receive(second))
    await receive(second, other)
    shown = (await typeWithoutReads({ surname: 'Mine' }, shown)).draft ?? shown
    await whileReadsFail(database, () => receive(formOf(3, 'Mine')))
    expect(await surnames()).toBe('Mine')
  })

  it('needs a choice when another tab has typed a later one without that form', async () => {
    const saved = await saveKnown()
    await writeOnFullDisk(storage, () => receive(second))
    await type({ surname: 'Typed' }, saved, other)
    await countAttempt(store)
    await receive(second)
    expect(await surnames()).toBe('Typed or Second')
  })
})

describe('while the applicant has to choose', () => {
  let shown: Draft
  beforeEach(async () => {
    shown = await saveDraft(store, { base, values: formOf(1, 'Typed').values, theirs: second })
  })

  it('an answer that is typed back gives way to that of the server only if the applicant chooses so (D32)', async () => {
    shown = (await type({ surname: 'Known' }, shown)).draft ?? shown
    expect(await surnames()).toBe('Known or Second')
    shown = (await type({ surname: 'Typed' }, shown)).draft ?? shown
    expect(await surnames()).toBe('Typed or Second')
    await type({ surname: 'Second' }, shown)
    expect(await surnames()).toBe('Second')
  })
})

function openPage(on = openDatabase('portal', storage.factory)) {
  return openStoreOn(on, { ...createFakeDevice(), now: () => nowMs })
}

function formOf(version: number, surname: string): ServerForm {
  return { version, additionalData: '', values: { ...firstPassport, surname }, at: version }
}

const saveKnown = (page = store) => saveDraft(page, { base, values: base.values })

function type(changes: Partial<FormValues>, lastKnown: Draft, page = store) {
  return typeInForm(page, changes, lastKnown)
}

function typeWithoutReads(changes: Partial<FormValues>, lastKnown: Draft) {
  return whileReadsFail(database, () => type(changes, lastKnown))
}

/** As the sync does when the server has sent its form, or has accepted these answers. */
function receive(form: ServerForm, page = store) {
  return page.drafts.update('app-1', draft => draft && rebase(draft, form))
}

/** The next write of the page hangs; the browser does it only at `run`. */
function hangNextWrite() {
  const transaction = database.transaction.bind(database)
  let start: () => unknown = doNothing
  vi.spyOn(database, 'transaction').mockImplementationOnce((...given) => {
    start = () => Reflect.apply(transaction, database, given)
    throw new StorageFault('hangs')
  })
  return { run: async () => void (await start()) }
}

/** The surname of the draft; `A or B` while the applicant has to choose. */
async function surnames() {
  const draft = await store.drafts.read('app-1')
  return [draft?.values.surname, ...(draft?.theirs ? [draft.theirs.values.surname] : [])].join(' or ')
}
