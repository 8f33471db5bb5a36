import { expect, it } from 'vitest'
import { openDatabase } from '#store/database.ts'
import { newDraft } from '#store/draft.ts'
import { createStoreOn } from '#store/store.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { createFailingStorage } from '#support/providers/failing-storage.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

it('waits ten seconds for a storage that hangs, one second at the next read, and ten again once it has answered (D74)', async () => {
  const storage = createFailingStorage()
  const waits: number[] = []
  const device = {
    ...createFakeDevice(),
    /** A timeout ends at once while the storage hangs, and never while it works. */
    after(milliseconds: number, run: () => void) {
      const timer = storage.trouble === 'none' ? undefined : setTimeout(run)
      if (timer) waits.push(milliseconds)
      return () => clearTimeout(timer)
    },
  }
  const store = createStoreOn(openDatabase('portal', storage.factory), device, mergeScreenForm)
  await store.setKey({ applicantId: 'ada', draftKey: 'secret of ada' }, 'device')
  await store.drafts.update('app-1', () => newDraft({ values: firstPassport, tab: 'PersonData' }))

  storage.trouble = 'work hangs'
  expect((await store.drafts.findAll()).fault).toBe('hangs')
  expect((await store.drafts.findAll()).fault).toBe('hangs')
  expect(waits).toEqual([10_000, 1_000])

  storage.trouble = 'none'
  expect((await store.drafts.findAll()).found).toHaveLength(1)
  storage.trouble = 'work hangs'
  expect((await store.drafts.findAll()).fault).toBe('hangs')
  expect(waits).toEqual([10_000, 1_000, 10_000])
})
