import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { emptyForm } from '#contract/application.ts'
import { newDraft } from '#store/draft.ts'
import { openDatabase } from '#store/database.ts'
import { createStoreOn, type Store } from '#store/store.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { createFailingStorage } from '#support/providers/failing-storage.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import { eventually } from '#support/eventually.ts'

/** Two pages of one browser: two stores on one database. */
let name: string
let first: Store
let second: Store

beforeEach(() => {
  name = crypto.randomUUID()
  first = openPage()
  second = openPage()
})

afterEach(() => openDatabase(name).delete())

/** The ids of the session of a page. With an `applicantId` and no `setKey`, the page could not load the store at the sign-in. */
type Ids = { applicantId?: string; id?: string }

function openPage(ids: Ids = {}): Store {
  const session = { applicantId: () => ids.applicantId, id: () => ids.id, hasNewer: () => false }
  return createStoreOn(openDatabase(name), createFakeDevice(), mergeScreenForm, session)
}

function signIn(store: Store, applicantId: string) {
  return store.setKey({ applicantId, draftKey: `secret of ${applicantId}` }, 'device')
}

function signInWithoutKey(store: Store, applicantId: string, lifetime: 'device' | 'memory' = 'device') {
  return store.setKey({ applicantId, draftKey: undefined }, lifetime)
}

function write(store: Store) {
  return store.drafts.update('app-1', () => newDraft({ values: firstPassport, tab: 'NicData' }))
}

/** Runs `writeRow` up to its encryption, then `interrupt`, then the rest of the write and one more write. */
async function runDuring(writeRow: () => Promise<unknown>, interrupt: () => Promise<unknown>) {
  const encrypt = crypto.subtle.encrypt.bind(crypto.subtle)
  const later = { mayEncrypt: () => {} }
  const held = new Promise<void>(resolve => (later.mayEncrypt = resolve))
  const spy = vi.spyOn(crypto.subtle, 'encrypt').mockImplementation(async (...parts) => {
    await held
    return encrypt(...parts)
  })
  const writing = writeRow()
  await eventually(() => expect(spy).toHaveBeenCalled())
  await interrupt()
  later.mayEncrypt()
  await writing
  spy.mockRestore()
  await writeRow()
}

/** Counts the rows of all tables but `keys`. `seen` has the responses and the files. */
async function countRows(factory?: IDBFactory) {
  const database = openDatabase(name, factory)
  const { drafts, moves, seen, revisions } = database
  const counts = await Promise.all([drafts, moves, seen, revisions].map(table => table.count()))
  database.close()
  return counts.reduce((sum, count) => sum + count)
}

describe('several pages of one browser', () => {
  it('D31 a page that is logged out writes nothing, and the next applicant reads none of its drafts', async () => {
    await signIn(first, 'ada')
    await write(first)
    await first.clearKey()
    await signIn(second, 'ben')
    expect(await write(first)).toMatchObject({ kind: 'not-saved' })
    expect(await second.drafts.all()).toEqual([])
  })

  it('D31 a page that started offline keeps its own applicant', async () => {
    await signIn(first, 'ada')
    const started = openPage()
    expect(await started.drafts.all()).toEqual([])
    await signIn(second, 'ben')
    expect(await write(started)).toMatchObject({ kind: 'saved' })
    expect(await second.drafts.all()).toEqual([])
    expect(await first.drafts.read('app-1')).toMatchObject({ values: firstPassport })
  })

  it('D31 a page that could not load the store at the sign-in does not use the key of the previous applicant', async () => {
    await signIn(first, 'ada')
    await write(first)
    const page = openPage({ applicantId: 'ben' })
    expect(await page.drafts.all()).toEqual([])
    expect(await write(page)).toMatchObject({ kind: 'not-saved' })
    await signIn(page, 'ben')
    expect(await write(page)).toMatchObject({ kind: 'saved' })
  })

  it('D31 a page that could not load the store at the sign-in writes nothing for the previous applicant when the session ends', async () => {
    await signIn(first, 'ada')
    const ids: Ids = { applicantId: 'ben' }
    const page = openPage(ids)
    expect(await page.drafts.all()).toEqual([])
    delete ids.applicantId
    expect(await write(page)).toMatchObject({ kind: 'not-saved' })
    expect(await first.drafts.all()).toEqual([])
  })

  it('D31 a full disk at the sign-in of the next applicant leaves no key of the previous one', async () => {
    const storage = createFailingStorage()
    const open = () =>
      createStoreOn(openDatabase('portal', storage.factory), createFakeDevice(), mergeScreenForm)
    const ofAda = open()
    await signIn(ofAda, 'ada')
    await write(ofAda)
    const ofBen = open()
    storage.trouble = 'disk is full'
    await signIn(ofBen, 'ben')
    storage.trouble = 'none'
    expect(await open().drafts.all()).toEqual([])
  })

  it('D31 a page that starts offline reads only the drafts of the session that it continues', async () => {
    const ofAda = openPage({ id: 'session 1' })
    await signIn(ofAda, 'ada')
    await write(ofAda)
    // Another applicant has begun session 2, and that page could write nothing.
    expect(await openPage({ id: 'session 2' }).drafts.all()).toEqual([])
    expect(await openPage({ id: 'session 1' }).drafts.read('app-1')).toMatchObject({ values: firstPassport })
  })

  it('D31 a page that starts offline continues the session of an older release', async () => {
    await signIn(first, 'ada')
    await write(first)
    expect(await openPage({ id: 'session 1' }).drafts.read('app-1')).toMatchObject({ values: firstPassport })
  })

  it('D23 a page that handles a log-out late keeps the key of the next session of the same applicant', async () => {
    const ids: Ids = { id: 'session 1' }
    const [active, late] = [openPage(ids), openPage({ id: 'session 1' })]
    await signIn(active, 'ada')
    await signIn(late, 'ada')
    await active.clearKey()
    ids.id = 'session 2'
    await signIn(active, 'ada')
    await write(active)
    await late.clearKey()
    expect(await openPage({ id: 'session 2' }).drafts.read('app-1')).toMatchObject({ values: firstPassport })
  })

  it('D23 a log-out on one page keeps the key of the applicant on the other', async () => {
    await signIn(first, 'ada')
    await signIn(second, 'ben')
    await write(second)
    await first.clearKey()
    expect(await openPage().drafts.read('app-1')).toMatchObject({ values: firstPassport })
    await second.clearKey()
    expect(await openPage().drafts.read('app-1')).toBeUndefined()
  })
})

describe('a server without a draftKey (D67)', () => {
  it('D31 keeps the drafts of an own device readable after a log-out and a restart', async () => {
    await signInWithoutKey(first, 'ada')
    await write(first)
    await first.clearKey()
    await signInWithoutKey(first, 'ada')
    expect(await first.drafts.read('app-1')).toMatchObject({ values: firstPassport })
    await first.clearKey()
    const restarted = openPage()
    await signInWithoutKey(restarted, 'ada')
    expect(await restarted.drafts.read('app-1')).toMatchObject({ values: firstPassport })
  })

  it('D31 shows the drafts of an own device to no other applicant', async () => {
    await signInWithoutKey(first, 'ada')
    await write(first)
    await first.clearKey()
    expect(await openPage().drafts.all()).toEqual([])
    await signInWithoutKey(first, 'ben')
    expect(await first.drafts.all()).toEqual([])
    await first.clearKey()
    await signInWithoutKey(first, 'ada')
    expect(await first.drafts.all()).toHaveLength(1)
  })

  it('D31 keeps the drafts readable after another applicant used the device as a shared one', async () => {
    await signInWithoutKey(first, 'ada')
    await write(first)
    await first.clearKey()
    await signInWithoutKey(first, 'ben', 'memory')
    await first.lockedDrafts.lockDraftsOfOtherApplicants()
    await first.clearKey()
    await first.lockedDrafts.deleteAllButLocked({ keepsOwnLocked: false })
    await signInWithoutKey(first, 'ada')
    expect(await first.drafts.all()).toHaveLength(1)
  })

  it('D31 makes one key when two tabs sign in at once', async () => {
    await Promise.all([signInWithoutKey(first, 'ada'), signInWithoutKey(second, 'ada')])
    await write(first)
    expect(await second.drafts.all()).toHaveLength(1)
    expect((await second.drafts.all())[0]?.draft.values).toEqual(firstPassport)
  })

  it('D30 merges answers with the saved ones when they are typed before the key can be read', async () => {
    const storage = createFailingStorage()
    const device = createFakeDevice()
    const open = () => createStoreOn(openDatabase('portal', storage.factory), device, mergeScreenForm)
    const before = open()
    await signInWithoutKey(before, 'ada')
    await write(before)
    await before.clearKey()

    const page = open()
    storage.trouble = 'connection stays lost'
    await expect(signInWithoutKey(page, 'ada')).rejects.toThrow()
    storage.trouble = 'none'
    // The portal opens a failed database again after a pause.
    await device.advance(30_000)
    // The form opens with the server's copy, which is empty.
    expect(await page.drafts.read('app-1')).toBeUndefined()
    const base = { version: undefined, additionalData: '', values: emptyForm(), at: 0 }
    const lastKnown = newDraft({ values: emptyForm(), tab: '', base })
    const type = (travelDestination: string) => {
      const typed = { values: { ...emptyForm(), travelDestination }, tab: 'PersonData', lastKnown }
      return page.drafts.update('app-1', stored => mergeScreenForm(stored, typed), {
        kind: 'typed',
        lastKnown,
      })
    }
    expect(await type('Gabon')).toMatchObject({ kind: 'not-saved' })

    // With the next token the portal calls `setKey` again, which reads the key.
    await signInWithoutKey(page, 'ada')
    expect(await type('Gabon, Tchad')).toMatchObject({ kind: 'saved' })
    expect(await page.drafts.read('app-1')).toMatchObject({
      values: { ...firstPassport, travelDestination: 'Gabon, Tchad' },
    })
  })

  it('D31 keeps no key on a shared device', async () => {
    await signInWithoutKey(first, 'ada', 'memory')
    await write(first)
    await first.clearKey()
    const database = openDatabase(name)
    expect(await database.keys.count()).toBe(0)
    database.close()
  })
})

describe('a row that is encrypted while all rows are deleted, and a row that is written after that, before the next sign-in', () => {
  const writes = {
    'an answer of the server': () => first.responses.write('applications', [1]),
    'a file of the server': () => first.responses.writeFile('receipt', new Blob(['%PDF'])),
    'a draft': () => write(first),
    'a draft that moves to its id of the server': () =>
      first.drafts.move('local-1', 'app-1', draft => ({ ...draft, savedAt: draft.savedAt + 1 })),
  }

  describe.each(Object.entries(writes))('%s', (_, writeRow) => {
    it('is not written after the rows of a deleted account were erased (D112)', async () => {
      await signIn(first, 'ada')
      await first.drafts.update('local-1', () => newDraft({ values: firstPassport, tab: 'NicData' }))
      await runDuring(writeRow, () => first.erase())
      expect(await countRows()).toBe(0)
      await first.clearKey()
      await signIn(first, 'ada')
      await first.responses.write('applications', [2])
      expect(await first.responses.read('applications')).toEqual([2])
      expect(await write(first)).toMatchObject({ kind: 'saved' })
    })

    it('is not written after a shared device was cleared; the next applicant can write (D31)', async () => {
      await signIn(first, 'ada')
      await first.drafts.update('local-1', () => newDraft({ values: firstPassport, tab: 'NicData' }))
      await runDuring(writeRow, async () => {
        await first.clearKey()
        await first.lockedDrafts.deleteAllButLocked({ keepsOwnLocked: false })
      })
      expect(await countRows()).toBe(0)
      await signIn(first, 'ben')
      expect(await write(first)).toMatchObject({ kind: 'saved' })
    })
  })
})

it('D112 writes no row when a draft in the memory of this page alone moves to its server id during the erase', async () => {
  const storage = createFailingStorage()
  const page = createStoreOn(openDatabase(name, storage.factory), createFakeDevice(), mergeScreenForm)
  await signIn(page, 'ada')
  storage.trouble = 'disk is full'
  const draft = newDraft({ values: firstPassport, tab: 'NicData' })
  expect(await page.drafts.update('local-1', () => draft)).toMatchObject({ kind: 'not-saved' })
  storage.trouble = 'none'
  await runDuring(
    () => page.drafts.move('local-1', 'app-1', each => each),
    () => page.erase(),
  )
  expect(await countRows(storage.factory)).toBe(0)
})

it('erases every row of an applicant whose account is deleted, and none of another applicant (D112)', async () => {
  const database = openDatabase(name)
  const countRowsOf = async (applicantId: string) => {
    const rows = await Promise.all(database.tables.map(table => table.toArray()))
    return rows.flat().filter(row => row.applicantId === applicantId).length
  }
  await signIn(first, 'ada')
  await write(first)
  await first.responses.write('applications', [1])
  await first.clearKey()
  await signIn(second, 'ben')
  await write(second)
  await second.responses.write('applications', [2])
  const rowsOfAda = await countRowsOf('ada')
  expect(rowsOfAda).toBeGreaterThan(0)
  expect(await countRowsOf('ben')).toBeGreaterThan(1)
  await second.erase()
  expect(await countRowsOf('ben')).toBe(0)
  expect(await countRowsOf('ada')).toBe(rowsOfAda)
  expect(await second.drafts.all()).toEqual([])
  database.close()
})
