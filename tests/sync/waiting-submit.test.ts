import { expect, it } from 'vitest'
import { emptyForm, toWire } from '#contract/application.ts'
import { doNothing } from '#device/do-nothing.ts'
import { newDraft } from '#store/draft.ts'
import { createSignedInSync } from '#support/fixtures/signed-in-sync.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import { createMemoryDrafts } from './simulation.ts'

const values = { ...emptyForm(), surname: 'Ngo' }
const known = { version: 4, additionalData: '' }

it('D33 moves a draft that was started offline to an application that the device already has; the Submit of that application still waits for the correction of its fault', async () => {
  const faulty = {
    values,
    tab: 'PersonData',
    base: { ...known, values, at: 0 },
    submitted: true,
    faulty: true,
  }
  const started = {
    values: { ...emptyForm(), givenName: 'Ada' },
    tab: 'PersonData',
    create: { key: 'key-1' },
  }
  const stored = new Map([
    ['app-1', newDraft(faulty)],
    ['local-1', newDraft(started)],
  ])
  const moves = new Map<string, string>()
  const device = createFakeDevice()
  createSignedInSync({
    device,
    openDrafts: async () => createMemoryDrafts(stored, moves),
    call,
  })
  for (let minute = 0; minute < 60; minute += 1) await device.advance(60_000)
  expect([...stored.keys()]).toEqual(['app-1'])
  expect(stored.get('app-1')).toMatchObject({
    values: { surname: 'Ngo', givenName: 'Ada' },
    submitted: true,
    faulty: true,
    sending: { complete: false },
  })
})

/** A server that answers the creation with the application that it already has, and no other call: the write stays open. */
async function call(name: string) {
  if (name === 'createApplication')
    return { ok: true, value: { data: { id: 'app-1', applicationNumber: 'PP-1' } } }
  return new Promise(doNothing)
}

it.each([
  ['says nothing when the server has the same answers', 'Ngo', []],
  ['says that the answers are replaced when the server has others', 'Mbock', ['replaced']],
])(
  'a Submit that comes after the form is closed ends, and %s (S93)',
  async (_, surname: string, expected: string[]) => {
    const draft = newDraft({ values, tab: 'PersonData', base: { ...known, values, at: 0 }, submitted: true })
    const stored = new Map([['app-1', draft]])
    const events: string[] = []
    const closed = { ...toWire({ ...values, surname }), ...known, currentState: 'PAYMENT_DONE' }
    const device = createFakeDevice()
    createSignedInSync({
      device,
      openDrafts: async () => createMemoryDrafts(stored, new Map()),
      call: async name =>
        name === 'readData'
          ? { ok: true, value: { data: { ...closed, appointmentChangeCount: 0 } } }
          : { ok: false, problem: { kind: 'refused', status: 409, reason: 'wrong-state', errors: [] } },
      onEvent: ({ kind }) => void events.push(kind),
    })
    await device.advance(60_000)
    expect(stored.get('app-1')).toMatchObject({ values: { surname } })
    expect(stored.get('app-1')?.submitted).toBeUndefined()
    expect(events).toEqual(expected)
  },
)
