import { expect, it } from 'vitest'
import { emptyForm, toWire } from '#contract/application.ts'
import { doNothing } from '#device/do-nothing.ts'
import { newDraft } from '#store/draft.ts'
import { createSignedInSync } from '#support/fixtures/signed-in-sync.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import { createMemoryDrafts } from './simulation.ts'

const seconds = 20 * 60
/** With pauses of up to 5 minutes, about 10 writes fall into this time. */
const mostSaves = 20

it.each([
  ['without a reason and without a newer form', { status: 409 }, 'NEW'],
  [
    'as closed, although the form that it then reads is open',
    { status: 409, reason: 'wrong-state' },
    'DATA_SAVED',
  ],
  ['for a newer form, which is the one that the device knows', { status: 409, hasData: true }, 'NEW'],
  ['for its key, which is new', { status: 422, reason: 'key-reused' }, 'NEW'],
])(
  'a save that the server refuses again and again %s is repeated after pauses, fewer than 20 times in 20 minutes (D14)',
  async (
    _,
    { hasData, ...refusal }: { status: number; reason?: string; hasData?: boolean },
    currentState,
  ) => {
    let saves = 0
    const values = { ...emptyForm(), surname: 'Ngo' }
    const known = { version: 4, epoch: 'e', additionalData: '' }
    const base = { ...known, values, at: 0 }
    const draft = newDraft({ values: { ...values, surname: 'Mbock' }, tab: 'PersonData', base })
    const drafts = createMemoryDrafts(new Map([['app-1', draft]]), new Map())
    const data = { ...toWire(values), ...known, currentState, appointmentChangeCount: 0 }
    async function call(name: string) {
      if (name === 'readData') return { ok: true, value: { data } }
      saves += 1
      // A loop without a pause would never let the test end.
      if (saves > mostSaves) return new Promise(doNothing)
      return { ok: false, problem: { kind: 'refused', ...refusal, errors: [], data: hasData && data } }
    }
    const device = createFakeDevice()
    createSignedInSync({
      device,
      openDrafts: async () => drafts,
      call,
      serverEpoch: async () => 'e',
    })
    for (let second = 0; second < seconds; second += 1) await device.advance(1_000)
    expect(saves).toBeGreaterThan(3)
    expect(saves).toBeLessThan(mostSaves)
  },
)
