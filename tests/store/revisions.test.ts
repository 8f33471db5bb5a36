import { beforeEach, describe, expect, it, vi } from 'vitest'
import { emptyForm, type FormValues } from '#contract/application.ts'
import { type Database, openDatabase } from '#store/database.ts'
import { newDraft } from '#store/draft.ts'
import { maxRevisionBytes, maxRevisionsPerDraft } from '#store/revision-rows.ts'
import { createStoreOn, type Store } from '#store/store.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { createFakeDevice, type FakeDevice } from '#support/providers/fake-device.ts'
import { createFailingStorage, type FailingStorage } from '#support/providers/failing-storage.ts'

let storage: FailingStorage
let database: Database
let device: FakeDevice
let store: Store

beforeEach(async () => {
  storage = createFailingStorage()
  device = createFakeDevice()
  database = openDatabase('portal', storage.factory)
  store = createStoreOn(database, device, mergeScreenForm)
  await signIn('ada')
})

function signIn(applicantId: string) {
  return store.setKey({ applicantId, draftKey: `secret of ${applicantId}` }, 'device')
}

async function changeKey(draftKey: string) {
  await store.clearKey()
  await store.setKey({ applicantId: 'ada', draftKey }, 'device')
}

/** Replaces the answers as a merge does, not as typing does: the replaced answers become a revision at once. */
function write(surname: string, id = 'app-1', rest: Partial<FormValues> = {}) {
  const values = { ...emptyForm(), ...rest, surname }
  return store.drafts.update(id, draft =>
    draft ? { ...draft, values } : newDraft({ values, tab: 'PersonData' }),
  )
}

/** Saves as the form does after a pause in typing. */
async function type(surname: string, { drafts } = store) {
  const lastKnown = await drafts.read('app-1')
  const typed = { ...newDraft({ values: emptyForm(), tab: 'PersonData' }), ...lastKnown }
  await drafts.update('app-1', () => ({ ...typed, values: { ...typed.values, surname } }), {
    kind: 'typed',
    lastKnown: typed,
  })
}

async function surnames(id = 'app-1') {
  return (await store.revisions(id)).map(({ values }) => values.surname)
}

describe('the revisions of a draft (D63)', () => {
  it('are the replaced answers, oldest first, with their times', async () => {
    const start = device.now()
    await write('Ngo')
    await write('Mbock')
    device.sleep(1_000)
    await write('Njoya')
    expect(await surnames()).toEqual(['Ngo', 'Mbock'])
    expect((await store.revisions('app-1')).map(({ at }) => at - start)).toEqual([0, 1_000])
    expect((await store.drafts.read('app-1'))?.values.surname).toBe('Njoya')
  })

  // While a draft has no revision, each page counts the five minutes from its own first save of this draft.
  it('are made by typing at most once in five minutes', async () => {
    for (const [minute, surname] of ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'].entries()) {
      await type(surname)
      expect(await surnames(), `after ${minute} minutes`).toEqual(minute < 5 ? [] : ['E'])
      device.sleep(60_000)
    }
  })

  it('are read by the first save of a page, not by later saves that need no revision (D135)', async () => {
    const where = vi.spyOn(database.revisions, 'where')
    for (const surname of ['A', 'B', 'C', 'D']) await type(surname)
    expect(where).toHaveBeenCalledTimes(1)
  })

  it('are made by typing in two tabs at most once in five minutes', async () => {
    const otherTab = createStoreOn(openDatabase('portal', storage.factory), device, mergeScreenForm)
    await otherTab.setKey({ applicantId: 'ada', draftKey: 'secret of ada' }, 'device')
    for (const surname of ['A', 'B']) await type(surname)
    device.sleep(5 * 60_000)
    // The first save of this tab: B becomes no revision.
    await type('C', otherTab)
    await type('D')
    await type('E', otherTab)
    await type('F')
    expect(await surnames()).toEqual(['C'])
  })

  it('are the last 20', async () => {
    expect(maxRevisionsPerDraft).toBe(20)
    for (let each = 0; each <= maxRevisionsPerDraft + 5; each += 1) await write(`Ngo ${each}`)
    const expected = Array.from({ length: maxRevisionsPerDraft }, (_, index) => `Ngo ${index + 5}`)
    expect(await surnames()).toEqual(expected)
  })

  it('stay below the limit of bytes: the oldest of all drafts are deleted first', async () => {
    const travelDestination = 'é'.repeat(maxRevisionBytes / 12)
    await write('A', 'app-2')
    await write('B', 'app-2')
    for (let each = 0; each <= 10; each += 1) await write(`Ngo ${each}`, 'app-1', { travelDestination })
    expect(await surnames('app-2')).toEqual([])
    expect(await surnames()).toEqual(['Ngo 5', 'Ngo 6', 'Ngo 7', 'Ngo 8', 'Ngo 9'])
  })

  it('are unreadable in the database, and for the next applicant', async () => {
    await write('Ngo')
    await write('Mbock')
    const rows = await database.revisions.toArray()
    const text = rows.map(({ sealed }) => new TextDecoder('latin1').decode(sealed.text)).join('')
    expect(rows).toHaveLength(1)
    expect(text + JSON.stringify(rows)).not.toContain('Ngo')
    await store.clearKey()
    expect(await surnames()).toEqual([])
    await signIn('bela')
    expect(await surnames()).toEqual([])
    const [row] = rows
    if (row) await database.revisions.put({ ...row, applicantId: 'bela' })
    expect(await surnames()).toEqual([])
    await signIn('ada')
    await database.revisions.bulkPut(rows)
    expect(await surnames()).toEqual(['Ngo'])
  })

  it('move with the draft to the server’s id (D33)', async () => {
    await write('Ngo', 'local-1')
    await write('Mbock', 'local-1')
    await write('Njoya', 'local-1')
    await store.drafts.move('local-1', 'app-1', draft => draft)
    expect(await surnames()).toEqual(['Ngo', 'Mbock'])
    expect(await surnames('local-1')).toEqual([])
  })

  it('include the answers that a move replaces', async () => {
    await write('Ngo', 'app-1')
    await write('Mbock', 'local-1')
    await store.drafts.move('local-1', 'app-1', draft => draft)
    expect(await surnames()).toEqual(['Ngo'])
  })

  it('include the answers of a discarded draft, and are deleted when the applicant deletes the draft', async () => {
    await write('Ngo')
    await store.drafts.update('app-1', () => undefined)
    expect(await surnames()).toEqual(['Ngo'])
    await write('Mbock')
    await store.drafts.update('app-1', () => undefined, { kind: 'deleted' })
    expect(await database.revisions.count()).toBe(0)
  })
})

describe('a row that cannot be decrypted, as while the server has a wrong DRAFT_KEY (D63)', () => {
  it('stays as a revision when the form is saved, and is readable with its key', async () => {
    await write('Ngo')
    await changeKey('wrong')
    await write('Mbock')
    expect(await surnames()).toEqual([])
    await changeKey('secret of ada')
    expect(await surnames()).toEqual(['Ngo'])
    await write('Njoya')
    expect(await surnames()).toEqual(['Ngo'])
    await changeKey('wrong')
    expect(await surnames()).toEqual(['Mbock'])
  })

  it('stays as a revision when another draft moves to its id (D33)', async () => {
    await write('Ngo', 'app-1')
    await changeKey('wrong')
    await write('Mbock', 'local-1')
    await store.drafts.move('local-1', 'app-1', draft => draft)
    await changeKey('secret of ada')
    expect(await surnames()).toEqual(['Ngo'])
  })

  it('moves with the draft when it is a revision, and is deleted with the application (D33, LST13)', async () => {
    await write('Ngo', 'local-1')
    await write('Mbock', 'local-1')
    await changeKey('wrong')
    await write('Njoya', 'local-1')
    await write('Essomba', 'local-1')
    await store.drafts.move('local-1', 'app-1', draft => draft)
    expect(await surnames('app-1')).toEqual(['Njoya'])
    await changeKey('secret of ada')
    expect(await surnames('app-1')).toEqual(['Ngo', 'Mbock'])
    await store.drafts.update('app-1', () => undefined, { kind: 'deleted' })
    expect(await database.revisions.count()).toBe(0)
  })

  it('does not hide the older answers of an application without a draft', async () => {
    await write('Ngo')
    await write('Mbock')
    await changeKey('wrong')
    await write('Njoya')
    await store.drafts.update('app-1', () => undefined)
    await changeKey('secret of ada')
    const found = await store.withoutDraft()
    expect(found.map(({ draft }) => draft.values.surname)).toEqual(['Mbock'])
  })

  it('is deleted when the applicant deletes the application (LST13)', async () => {
    await write('Ngo')
    await changeKey('wrong')
    await write('Mbock')
    await store.drafts.update('app-1', () => undefined, { kind: 'deleted' })
    expect(await database.revisions.count()).toBe(0)
  })
})

describe('a full storage (D63 D30)', () => {
  it('saves the draft without its revision when only the revision does not fit', async () => {
    await write('Ngo')
    refuseRevisions(() => true)
    expect(await write('Mbock')).toMatchObject({ kind: 'saved' })
    expect((await store.drafts.read('app-1'))?.values.surname).toBe('Mbock')
    expect(await surnames()).toEqual([])
  })

  it('saves that revision with a later write, when it fits then', async () => {
    let isFull = true
    refuseRevisions(() => isFull)
    for (const surname of ['Ngo', 'Mbock', 'Njoya']) await write(surname)
    isFull = false
    expect(await store.drafts.update('app-1', draft => draft)).toMatchObject({ kind: 'saved' })
    expect(await surnames()).toEqual(['Ngo', 'Mbock'])
    await write('Njoya')
    expect(await surnames(), 'saved once').toEqual(['Ngo', 'Mbock'])
  })

  it('saves the answers that a move replaces with a later write, when they fit then (D33)', async () => {
    await write('Ngo', 'local-1')
    let isFull = true
    refuseRevisions(() => isFull)
    const values = { ...emptyForm(), surname: 'Mbock' }
    await store.drafts.move('local-1', 'app-1', draft => ({ ...draft, values }))
    isFull = false
    await store.drafts.update('app-1', draft => draft)
    expect(await surnames()).toEqual(['Ngo'])
  })

  it('deletes the oldest half of the revisions when that makes room for the newest', async () => {
    for (const surname of ['A', 'B', 'C', 'D', 'E']) await write(surname)
    let refusals = 0
    refuseRevisions(() => (refusals += 1) === 1)
    expect(await write('F')).toMatchObject({ kind: 'saved' })
    expect(await surnames()).toEqual(['C', 'D', 'E'])
  })

  it('moves the draft and its revisions to the server’s id when no further revision fits (D33)', async () => {
    await write('Ngo', 'local-1')
    await write('Mbock', 'local-1')
    refuseRevisions(() => true)
    expect(await store.drafts.move('local-1', 'app-1', draft => draft)).toBe('moved')
    expect((await store.drafts.read('app-1'))?.values.surname).toBe('Mbock')
    expect(await surnames()).toEqual(['Ngo'])
  })

  it('keeps the draft in memory when not even the draft fits', async () => {
    await write('Ngo')
    storage.trouble = 'disk is full'
    expect(await write('Mbock')).toMatchObject({ kind: 'not-saved', reason: 'full' })
    storage.trouble = 'none'
    expect((await store.drafts.read('app-1'))?.values.surname).toBe('Mbock')
  })
})

/** Makes the storage full for a revision while `refuses` returns true. */
function refuseRevisions(refuses: () => boolean) {
  database.revisions.hook('creating', () => {
    if (refuses()) throw new DOMException('full', 'QuotaExceededError')
  })
}
