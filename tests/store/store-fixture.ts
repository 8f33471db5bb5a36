import { vi } from 'vitest'
import type { FormValues } from '#contract/application.ts'
import type { Device } from '#device/device.ts'
import { doNothing } from '#device/do-nothing.ts'
import type { Database } from '#store/database.ts'
import { type Draft, newDraft } from '#store/draft.ts'
import { StorageFault } from '#store/storage-fault.ts'
import { createStoreOn, type Store } from '#store/store.ts'
import type { SaveResult } from '#store/drafts.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { firstPassport } from '#support/data/applicants.ts'
import type { FailingStorage } from '#support/providers/failing-storage.ts'

export const ada = { applicantId: 'ada', draftKey: 'secret of ada' }

/** Opens the store of a page of one applicant, on a device of the applicant's own. */
export async function openStoreOn(database: Database, device: Device, key = ada): Promise<Store> {
  const store = createStoreOn(database, device, mergeScreenForm)
  await store.setKey(key, 'device')
  return store
}

/** Saves the draft `app-1` with complete answers, and returns it as it was saved. */
export async function saveDraft(page: Store, more: Partial<Draft> = {}): Promise<Draft> {
  const draft = newDraft({ values: firstPassport, tab: 'PersonData', ...more })
  const saved = await page.drafts.update('app-1', () => draft)
  return saved.draft ?? draft
}

/** Saves changes as the form does that shows `lastKnown`. */
export function typeInForm(page: Store, changes: Partial<FormValues>, lastKnown: Draft, id = 'app-1') {
  const typed = { values: { ...lastKnown.values, ...changes }, tab: lastKnown.tab, lastKnown }
  return page.drafts.update(id, draft => mergeScreenForm(draft, typed), { kind: 'typed', lastKnown })
}

/** Runs the write while the disk is full. Returns the draft that the memory of the page then has. */
export async function writeOnFullDisk(
  storage: FailingStorage,
  write: () => Promise<SaveResult>,
): Promise<Draft> {
  storage.trouble = 'disk is full'
  const { kind, draft } = await write()
  storage.trouble = 'none'
  if (kind !== 'not-saved' || !draft) throw new Error('The disk was not full')
  return draft
}

/** As the sync does after a call that failed. */
export function countAttempt(page: Store, id = 'app-1') {
  return page.drafts.update(id, draft => draft && { ...draft, attempts: draft.attempts + 1 })
}

/**
 * Runs the action while each read of one draft fails, and so each save; a read of all drafts works. Resolves to the
 * result of the action.
 */
export async function whileReadsFail<Result>(
  database: Database,
  action: () => Promise<Result>,
): Promise<Result> {
  const get = vi.spyOn(database.drafts, 'get').mockImplementation(() => {
    throw new StorageFault('hangs')
  })
  const result = await action()
  get.mockRestore()
  return result
}

/**
 * The browser does the next write of the page, but the page learns only at `reportHang` that it took too long. `isDone`
 * resolves when the write is on the disk.
 */
export function commitNextWriteLate(database: Database) {
  const { isDone, report } = reportNextWriteLate(database, () => {
    throw new StorageFault('hangs')
  })
  return { isDone, reportHang: report }
}

/**
 * The browser does the next write of the page, and the page learns its `outcome` only at `report`. `isDone` resolves when the
 * write is on the disk.
 */
export function reportNextWriteLate(database: Database, outcome = (result: unknown) => result) {
  const transaction = database.transaction.bind(database)
  const [done, reported] = [createLatch(), createLatch()]
  vi.spyOn(database, 'transaction').mockImplementationOnce((...given) =>
    Reflect.apply(transaction, database, given).then(async (result: unknown) => {
      done.open()
      await reported.promise
      return outcome(result)
    }),
  )
  return { isDone: done.promise, report: reported.open }
}

function createLatch() {
  let open = doNothing
  const promise = new Promise<void>(resolve => (open = resolve))
  return { promise, open: () => open() }
}
