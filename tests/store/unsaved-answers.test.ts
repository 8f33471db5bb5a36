import { beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '#store/database.ts'
import { newDraft } from '#store/draft.ts'
import { createStoreOn, type Store } from '#store/store.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { firstPassport } from '#support/data/applicants.ts'
import type { StorageTrouble } from '#support/providers/failing-storage.ts'
import { ada, countAttempt } from './store-fixture.ts'
import { type FailingStoreFixture, openFailingStore, read, saveDraft, type } from './failing-store-fixture.ts'

let fixture: FailingStoreFixture

beforeEach(async () => {
  fixture = await openFailingStore()
})

describe('answers that one tab could not save while another tab saved (D30, D32)', () => {
  it.each<StorageTrouble>(['disk is full', 'connection stays lost'])(
    'are merged with the saved ones: %s',
    async trouble => {
      await saveDraft(fixture.store)
      const other = await fixture.openWithKey()
      fixture.storage.trouble = trouble
      expect((await type(fixture.store, { surname: 'Mbock' })).kind).toBe('not-saved')
      fixture.storage.trouble = 'none'
      await type(other, { givenName: 'Ada' })
      expect(await read(fixture.store)).toMatchObject({ surname: 'Mbock', givenName: 'Ada' })
      expect((await fixture.store.drafts.all()).map(({ draft }) => draft.values.givenName)).toEqual(['Ada'])
      expect(await type(fixture.store, { travelDestination: 'Gabon' })).toMatchObject({ kind: 'saved' })
      expect(await read(other)).toMatchObject({
        surname: 'Mbock',
        givenName: 'Ada',
        travelDestination: 'Gabon',
      })
    },
  )

  it('are replaced by the later answer when both tabs changed the same field', async () => {
    await saveDraft(fixture.store)
    const other = await fixture.openWithKey()
    fixture.storage.trouble = 'disk is full'
    await type(fixture.store, { surname: 'Mbock' })
    fixture.storage.trouble = 'none'
    fixture.nowMs = 2
    await type(other, { surname: 'Ngo' })
    expect((await read(fixture.store))?.surname).toBe('Ngo')
    fixture.storage.trouble = 'disk is full'
    fixture.nowMs = 3
    await type(fixture.store, { surname: 'Essomba' })
    expect((await read(fixture.store))?.surname).toBe('Essomba')
  })

  describe('when the clock of the phone is set back', () => {
    let other: Store

    beforeEach(async () => {
      fixture.nowMs = 10
      await saveDraft(fixture.store)
      other = await fixture.openWithKey()
    })

    it('do not replace the later answer of the other tab when the other tab saves a further one after the clock was set back', async () => {
      fixture.storage.trouble = 'disk is full'
      fixture.nowMs = 20
      await type(fixture.store, { surname: 'Mbock' })
      fixture.storage.trouble = 'none'
      fixture.nowMs = 30
      await type(other, { surname: 'Ngo' })
      fixture.nowMs = 1
      await type(other, { givenName: 'Ada' })
      expect(await read(fixture.store)).toMatchObject({ surname: 'Ngo', givenName: 'Ada' })
      await countAttempt(fixture.store)
      expect((await read(other))?.surname).toBe('Ngo')
      expect(await earlierSurnames(fixture.store)).toContain('Mbock')
    })

    it('replace the earlier answer of the other tab when they are typed after the clock was set back', async () => {
      await read(fixture.store)
      fixture.nowMs = 30
      await type(other, { surname: 'Ngo' })
      fixture.storage.trouble = 'connection stays lost'
      fixture.nowMs = 1
      await type(fixture.store, { surname: 'Mbock' })
      fixture.storage.trouble = 'none'
      expect((await read(fixture.store))?.surname).toBe('Mbock')
    })
  })

  describe('when the server has another answer, whichever answer has the later time', () => {
    let other: Store

    beforeEach(async () => {
      fixture.nowMs = 10
      await fixture.store.drafts.update('app-1', () =>
        newDraft({ values: firstPassport, tab: 'PersonData', base: serverForm(1, firstPassport.surname) }),
      )
      other = await fixture.openWithKey()
      await read(other)
    })

    it('do not replace the typed answer of the other tab when they came from the server, not from the applicant', async () => {
      fixture.storage.trouble = 'disk is full'
      await mergeFromServer(fixture.store)
      fixture.storage.trouble = 'none'
      fixture.nowMs = 1
      await type(other, { surname: 'Ngo' })
      expect((await read(fixture.store))?.surname).toBe('Ngo')
    })

    it('are not replaced by answers of the server that the other tab has saved', async () => {
      fixture.storage.trouble = 'disk is full'
      fixture.nowMs = 1
      await type(fixture.store, { surname: 'Mbock' })
      fixture.storage.trouble = 'none'
      fixture.nowMs = 10
      await mergeFromServer(other)
      expect((await read(fixture.store))?.surname).toBe('Mbock')
    })

    it('stay, and the applicant can still choose between them and those of the server, also after the other tab has saved again (D32)', async () => {
      fixture.storage.trouble = 'disk is full'
      await type(fixture.store, { surname: 'Mbock' })
      fixture.storage.trouble = 'none'
      await mergeFromServer(other)
      fixture.storage.trouble = 'disk is full'
      await type(fixture.store, { travelDestination: 'Gabon' })
      expect((await fixture.store.drafts.read('app-1'))?.theirs?.values.surname).toBe('Server')
      fixture.storage.trouble = 'none'
      await type(other, { givenName: 'Ada' })
      const draft = await fixture.store.drafts.read('app-1')
      expect(draft?.values).toMatchObject({ surname: 'Mbock', givenName: 'Ada', travelDestination: 'Gabon' })
      expect(draft?.theirs?.values.surname).toBe('Server')
    })

    it('do not replace an answer that the applicant has typed in the other tab, in a field where the applicant must choose (D32)', async () => {
      await type(fixture.store, { surname: 'Mbock' })
      await fixture.store.drafts.update(
        'app-1',
        draft => draft && { ...draft, theirs: serverForm(2, 'Server') },
      )
      fixture.storage.trouble = 'disk is full'
      fixture.nowMs = 30
      await type(fixture.store, { travelDestination: 'Gabon' })
      fixture.storage.trouble = 'none'
      fixture.nowMs = 20
      await type(other, { surname: 'Ngo' })
      const draft = await fixture.store.drafts.read('app-1')
      expect(draft?.values).toMatchObject({ surname: 'Ngo', travelDestination: 'Gabon' })
      expect(draft?.theirs?.values.surname).toBe('Server')
    })
  })

  it('become a revision when the merge takes the later answer of the other tab (D63)', async () => {
    await saveDraft(fixture.store)
    const other = await fixture.openWithKey()
    fixture.storage.trouble = 'disk is full'
    await type(fixture.store, { surname: 'Mbock' })
    fixture.storage.trouble = 'none'
    fixture.nowMs = 2
    await type(other, { surname: 'Ngo' })
    await type(fixture.store, { travelDestination: 'Gabon' })
    expect((await read(other))?.surname).toBe('Ngo')
    expect(await earlierSurnames(fixture.store)).toContain('Mbock')
  })

  it('become a revision when a form that does not show them replaces them (D63)', async () => {
    await saveDraft(fixture.store)
    fixture.storage.trouble = 'disk is full'
    await type(fixture.store, { surname: 'Mbock' })
    fixture.storage.trouble = 'none'
    await type(fixture.store, { surname: 'Ngo' })
    expect(await earlierSurnames(fixture.store)).toContain('Mbock')
  })

  it.each<StorageTrouble>(['disk is full', 'connection stays lost'])(
    'become a revision as soon as the storage works, when a form that does not show them has replaced them: %s',
    async trouble => {
      await saveDraft(fixture.store)
      fixture.storage.trouble = trouble
      await type(fixture.store, { surname: 'Mbock' })
      await type(fixture.store, { surname: 'Ngo' })
      await type(fixture.store, { surname: 'Essomba' })
      fixture.storage.trouble = 'none'
      await type(fixture.store, { travelDestination: 'Gabon' })
      expect(await read(fixture.open())).toMatchObject({ surname: 'Essomba', travelDestination: 'Gabon' })
      expect(await earlierSurnames(fixture.store)).toEqual(expect.arrayContaining(['Mbock', 'Ngo']))
      await type(fixture.store, { travelDestination: 'Tchad' })
      const dropped = (await earlierSurnames(fixture.store)).filter(surname => surname === 'Mbock')
      expect(dropped, 'only one revision').toEqual(['Mbock'])
    },
  )

  it('merge with the draft that another tab has moved to the id of the server (D33)', async () => {
    await saveDraft(fixture.store)
    const other = await fixture.openWithKey()
    fixture.storage.trouble = 'disk is full'
    await type(fixture.store, { surname: 'Mbock' })
    fixture.storage.trouble = 'none'
    await other.drafts.move('app-1', 'app-2', draft => ({
      ...draft,
      values: { ...draft.values, givenName: 'Ada' },
    }))
    expect((await fixture.store.drafts.all()).map(({ applicationId }) => applicationId)).toEqual(['app-2'])
    expect((await type(fixture.store, { travelDestination: 'Gabon' })).kind).toBe('saved')
    expect((await fixture.open().drafts.read('app-2'))?.values).toMatchObject({
      surname: 'Mbock',
      givenName: 'Ada',
      travelDestination: 'Gabon',
    })
  })

  it('do not replace answers typed after another tab has removed the draft, also when the old and the new row were written equally often (D63)', async () => {
    await saveDraft(fixture.store)
    const other = await fixture.openWithKey()
    fixture.storage.trouble = 'disk is full'
    await type(fixture.store, { surname: 'Mbock' })
    fixture.storage.trouble = 'none'
    await other.drafts.update('app-1', () => undefined, { kind: 'discarded' })
    await type(other, { givenName: 'Ada' })
    expect(await read(fixture.store)).toMatchObject({ surname: 'Mbock', givenName: 'Ada' })
    expect((await type(fixture.store, { travelDestination: 'Gabon' })).kind).toBe('saved')
    expect(await read(other)).toMatchObject({
      surname: 'Mbock',
      givenName: 'Ada',
      travelDestination: 'Gabon',
    })
  })

  it('are deleted with the draft that the applicant deletes', async () => {
    await saveDraft(fixture.store)
    fixture.storage.trouble = 'disk is full'
    await type(fixture.store, { surname: 'Mbock' })
    await type(fixture.store, { surname: 'Ngo' })
    fixture.storage.trouble = 'none'
    await fixture.store.drafts.update('app-1', () => undefined, { kind: 'deleted' })
    expect(await read(fixture.store)).toBeUndefined()
    expect(await earlierSurnames(fixture.store)).toEqual([])
  })
})

describe('two writes of one page at the same time, of which the device cannot save the typed one (D30)', () => {
  beforeEach(async () => {
    await saveDraft(fixture.store)
  })

  it('keep the typed answer when the write of the sync fails too', async () => {
    fixture.storage.trouble = 'disk is full'
    await Promise.all([type(fixture.store, { surname: 'Mbock' }), mergeGivenName(fixture.store)])
    expect(await read(fixture.store)).toMatchObject({ surname: 'Mbock', givenName: 'Ada' })
    fixture.storage.trouble = 'none'
    await countAttempt(fixture.store)
    expect(await read(fixture.open())).toMatchObject({ surname: 'Mbock', givenName: 'Ada' })
  })

  it('keep the typed answer when the write of the sync succeeds', async () => {
    const { page, makeRoom } = await openRefusingTyped()
    fixture.nowMs = 2
    const [typed, merged] = await Promise.all([type(page, { surname: 'Mbock' }), mergeGivenName(page)])
    expect([typed.kind, merged.kind]).toEqual(['not-saved', 'saved'])
    expect(await read(page)).toMatchObject({ surname: 'Mbock', givenName: 'Ada' })
    makeRoom()
    await countAttempt(page)
    expect(await read(fixture.open())).toMatchObject({ surname: 'Mbock', givenName: 'Ada' })
  })

  it('keep the typed answer when the draft moves to the id of the server (D33)', async () => {
    // The draft gets an earlier answer, which the move takes along.
    await mergeGivenName(fixture.store)
    const { page } = await openRefusingTyped()
    fixture.nowMs = 2
    const [typed] = await Promise.all([
      type(page, { surname: 'Mbock' }),
      page.drafts.move('app-1', 'app-2', draft => draft),
    ])
    expect(typed.kind).toBe('not-saved')
    expect((await page.drafts.all()).map(({ applicationId }) => applicationId)).toEqual(['app-2'])
    expect((await page.drafts.read('app-2'))?.values).toMatchObject({ surname: 'Mbock' })
  })
})

/** Another page of the same applicant, which has no room for typed answers until `makeRoom`. */
async function openRefusingTyped() {
  const database = openDatabase('portal', fixture.storage.factory)
  const page = createStoreOn(database, fixture.storeDevice, mergeScreenForm)
  await page.setKey(ada, 'device')
  let isFull = true
  database.drafts.hook('updating', changes => {
    // The sync keeps `savedAt`, so this refuses the typed writes and lets those of the sync pass.
    if (isFull && 'savedAt' in changes) throw new DOMException('full', 'QuotaExceededError')
  })
  return { page, makeRoom: () => void (isFull = false) }
}

function serverForm(version: number, surname: string) {
  return { version, additionalData: '', values: { ...firstPassport, surname }, at: 0 }
}

/** As the sync does when the server has a newer form. */
function mergeFromServer(page: Store) {
  return page.drafts.update('app-1', draft => {
    if (!draft) throw new Error('there is no draft')
    const base = serverForm(2, 'Server')
    return { ...draft, values: base.values, base }
  })
}

/** As the sync does. It takes longer than `type`, because it also writes a revision. */
function mergeGivenName(page: Store) {
  return page.drafts.update(
    'app-1',
    draft => draft && { ...draft, values: { ...draft.values, givenName: 'Ada' } },
  )
}

async function earlierSurnames(of: Store): Promise<string[]> {
  return (await of.revisions('app-1')).map(({ values }) => values.surname)
}
