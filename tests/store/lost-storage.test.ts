import { expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { digestOfForm } from '#contract/save-digest.ts'
import { doNothing } from '#device/do-nothing.ts'
import { openDatabase } from '#store/database.ts'
import { type Draft, newDraft } from '#store/draft.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { eventually } from '#support/eventually.ts'
import { createSignedInSync } from '#support/fixtures/signed-in-sync.ts'
import { createFailingStorage, type FailingStorage } from '#support/providers/failing-storage.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import { flushPromises } from '#support/settle.ts'
import { openStoreOn } from './store-fixture.ts'

const typed = { ...firstPassport, surname: 'Mbock' }
const base = { version: 4, additionalData: '', values: firstPassport, at: 0 }
const sending = { key: 'key-1', values: typed, complete: false, baseVersion: 4, additionalData: '' }
/** After this many calls the server does not answer, because a loop without a pause would never let the test end. */
const mostCalls = 20

it.each<[string, Partial<Draft>]>([
  ['with a write in progress', { base, sending }],
  ['perhaps missing on the server', {}],
])(
  'the page sends one call and no more for a draft %s, which it knows only from the list, when the storage is lost (D30, D33)',
  async (_, more) => {
    const storage = createFailingStorage()
    const page = await openPage(storage)
    const other = await openPage(storage)
    await other.store.drafts.update('app-1', () => newDraft({ values: typed, tab: 'PersonData', ...more }))
    page.sync.readAgain()
    await eventually(() => expect(page.sync.list()).toHaveLength(1))
    expect(page.calls).toEqual([])
    storage.trouble = 'connection stays lost'
    page.device.wakeUp()
    await eventually(() => expect(page.calls).toHaveLength(1))
    for (let turn = 0; turn < 100; turn += 1) await flushPromises()
    expect(page.calls).toHaveLength(1)
  },
)

/** A tab of one applicant, with its sync. `calls`: the names of the calls that it has sent. */
async function openPage({ factory }: FailingStorage) {
  const device = createFakeDevice()
  const store = await openStoreOn(openDatabase('portal', factory), device)
  const calls: string[] = []
  async function call(name: string) {
    calls.push(name)
    if (calls.length > mostCalls) return new Promise(doNothing)
    if (name === 'saveData')
      return { ok: true, value: { data: { version: 5, digest: await digestOfForm(typed, 5) } } }
    const data = { ...toWire(firstPassport), additionalData: '', version: 4, currentState: 'NEW' }
    return { ok: true, value: { data } }
  }
  const sync = createSignedInSync({ device, openDrafts: async () => store.drafts, call })
  return { device, store, sync, calls }
}
