import type { FormValues } from '#contract/application.ts'
import type { Device } from '#device/device.ts'
import { openDatabase } from '#store/database.ts'
import { newDraft } from '#store/draft.ts'
import { createStoreOn, type Store } from '#store/store.ts'
import { mergeScreenForm } from '#sync/merge-screen-form.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { createFailingStorage } from '#support/providers/failing-storage.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import { ada } from './store-fixture.ts'

export type FailingStoreFixture = Awaited<ReturnType<typeof openFailingStore>>

/**
 * The store of a page of Ada, on a storage that fails as the test says. A test sets `nowMs`, the wall clock, and
 * `clockMs`, the monotonic clock, by which the store knows when it may open the database again.
 */
export async function openFailingStore() {
  const storage = createFailingStorage()
  const times = { nowMs: 1, clockMs: 0 }
  const readers = { ...createFakeDevice(), now: () => times.nowMs, monotonic: () => times.clockMs }
  /** Its timeouts fire also while the storage works. */
  const hastyDevice: Device = { ...readers, after: afterShorterTime }
  const storeDevice: Device = {
    ...readers,
    /** A timeout fires only while the storage fails, never because the machine is busy. */
    after: (milliseconds, run) =>
      storage.trouble === 'none' ? () => undefined : afterShorterTime(milliseconds, run),
  }

  /** The store of another page, without a key. */
  const open = () => createStoreOn(openDatabase('portal', storage.factory), storeDevice, mergeScreenForm)

  /** The store of another page of Ada. */
  async function openWithKey() {
    const store = open()
    await store.setKey(ada, 'device')
    return store
  }

  const store = await openWithKey()
  return Object.assign(times, { storage, store, storeDevice, hastyDevice, open, openWithKey })
}

/** Runs a timeout 20 times sooner, and counts the CPU time of this process alone. */
function afterShorterTime(milliseconds: number, run: () => void) {
  const cpuBefore = process.cpuUsage()
  let next = setImmediate(wait)
  function wait() {
    const { user, system } = process.cpuUsage(cpuBefore)
    if ((user + system) / 1_000 > milliseconds / 20) run()
    else next = setImmediate(wait)
  }
  return () => clearImmediate(next)
}

/** Saves the answers and the open tab, as the form does. */
export function saveDraft(into: Store, tab = 'PersonData') {
  return into.drafts.update('app-1', draft => newDraft({ ...draft, values: firstPassport, tab }))
}

/** Saves typed answers, as a form does that still shows the answers of `saveDraft`. */
export function type(into: Store, changes: Partial<FormValues>) {
  const opened = newDraft({ values: firstPassport, tab: 'PersonData' })
  return into.drafts.update(
    'app-1',
    (draft = opened) => ({ ...draft, values: { ...draft.values, ...changes } }),
    { kind: 'typed', lastKnown: opened },
  )
}

export async function read(from: Store): Promise<FormValues | undefined> {
  return (await from.drafts.read('app-1'))?.values
}
