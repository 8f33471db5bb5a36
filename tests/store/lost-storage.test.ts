import { expect, it } from 'vitest'
import type { Call } from '#api/client.ts'
import { toWire } from '#contract/application.ts'
import { digestOfForm } from '#contract/save-digest.ts'
import { doNothing } from '#device/do-nothing.ts'
import { readClaims } from '#session/claims.ts'
import type { SessionState } from '#session/session.ts'
import { openDatabase } from '#store/database.ts'
import { type Draft, newDraft } from '#store/draft.ts'
import { createStoreOn } from '#store/store.ts'
import { mergeScreenForm } from '#sync/draft-reducer.ts'
import { createSync } from '#sync/engine.ts'
import { makeToken } from '#support/data/access-token.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { eventually } from '#support/eventually.ts'
import { createFailingStorage } from '#support/providers/failing-storage.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

const typed = { ...firstPassport, surname: 'Mbock' }
const base = { version: 4, additionalData: '', values: firstPassport, at: 0 }
const sending = { key: 'key-1', values: typed, complete: false, baseVersion: 4, additionalData: '' }
/** A sync that sends without end stops here. */
const tooManyCalls = 20

it.each<[string, Partial<Draft>]>([
  ['with a write in progress', { base, sending }],
  ['that the server may not have', {}],
])(
  'a draft %s that this page knows only from the list is sent at most once when the storage is lost (D30, D33)',
  async (_, more) => {
    const storage = createFailingStorage()
    const page = await openPage()
    const other = await openPage()
    await other.store.drafts.update('app-1', () => newDraft({ values: typed, tab: 'PersonData', ...more }))
    page.sync.readAgain()
    await eventually(() => expect(page.sync.list()).toHaveLength(1))
    expect(page.calls).toEqual([])
    storage.trouble = 'connection stays lost'
    page.device.wakeUp()
    await eventually(() => expect(page.calls).toHaveLength(1))
    for (let turn = 0; turn < 100; turn += 1) await new Promise(resolve => void setImmediate(resolve))
    expect(page.calls).toHaveLength(1)

    /** A tab of one applicant, with its sync. */
    async function openPage() {
      const device = createFakeDevice()
      const store = createStoreOn(openDatabase('portal', storage.factory), device, mergeScreenForm)
      await store.setKey({ applicantId: 'ada', draftKey: 'secret of ada' }, 'device')
      const calls: string[] = []
      const claims = readClaims(makeToken())
      if (!claims) throw new Error('The token cannot be read')
      let state: SessionState = { kind: 'signed-in', claims }
      async function call(name: string) {
        calls.push(name)
        if (calls.length === tooManyCalls) state = { kind: 'signed-out' }
        if (name === 'saveData')
          return { ok: true, value: { data: { version: 5, digest: await digestOfForm(typed, 5) } } }
        const data = { ...toWire(firstPassport), additionalData: '', version: 4, currentState: 'NEW' }
        return { ok: true, value: { data } }
      }
      const sync = createSync({
        device,
        random: () => 1,
        openDrafts: async () => store.drafts,
        // The fake has the calls of the sync only.
        call: call as unknown as Call,
        session: { state: () => state, token: () => 'token', subscribe: () => doNothing },
        connectivity: { isUnreachable: () => false, subscribe: () => doNothing },
        acceptsDrafts: async () => true,
        serverEpoch: async () => undefined,
        digestOfForm,
        onEvent: doNothing,
        setOnlyInPage: doNothing,
      })
      return { device, store, sync, calls }
    }
  },
)
