import { describe, expect, it } from 'vitest'
import { emptyForm, toWire } from '#contract/application.ts'
import { doNothing } from '#device/do-nothing.ts'
import { type Draft, newDraft } from '#store/draft.ts'
import { createSignedInSync } from '#support/fixtures/signed-in-sync.ts'
import { flushPromises } from '#support/settle.ts'
import { createMemoryDrafts } from './simulation.ts'

const form = (surname: string) => ({ ...emptyForm(), surname })
const serverForm = (version: number, surname: string) => ({
  version,
  epoch: 'before',
  additionalData: '',
  values: form(surname),
  at: 0,
})

/** The server was restored from a backup, and lost its versions 4 and 5. */
const restoredServer = { version: 3, epoch: 'after', surname: 'Ngo' }

/** An engine with one draft. `onRead` runs before the server answers a read. */
function openEngine(draft: Draft, { server = restoredServer, onRead = doNothing } = {}) {
  const calls: string[] = []
  const stored = new Map([['app-1', draft]])
  const { version, epoch, surname } = server
  const data = {
    ...toWire(form(surname)),
    additionalData: '',
    version,
    epoch,
    currentState: 'NEW',
    appointmentChangeCount: 0,
  }
  async function call(name: string) {
    calls.push(name)
    // A loop without a pause would never let the test end.
    if (calls.length > 6) return { ok: false, problem: { kind: 'unreachable', cause: 'no-answer' } }
    if (name === 'readData') {
      onRead()
      return { ok: true, value: { data } }
    }
    return { ok: false, problem: { kind: 'refused', status: 409, reason: 'stale-version', errors: [], data } }
  }
  const sync = createSignedInSync({
    openDrafts: async () => createMemoryDrafts(stored, new Map()),
    call,
    serverEpoch: async () => epoch,
  })
  return { sync, stored, calls }
}

const base = serverForm(4, 'Ngo')
const open: Draft = {
  ...newDraft({ values: form('Mbock'), tab: 'PersonData', base }),
  theirs: serverForm(5, 'Abena'),
}

describe('a choice that is open when the server is restored from a backup (D62)', () => {
  it('compares the chosen answers with the restored server, also when it was read before the choice', async () => {
    const known = newDraft({ values: form('Ngo'), tab: 'PersonData', base })
    const { sync, stored, calls } = openEngine(known, {
      onRead() {
        if (calls.length === 1) stored.set('app-1', open)
      },
    })
    await flushPromises()
    expect(calls).toEqual(['readData'])
    await sync.resolveConflicts('app-1', { picked: form('Abena'), shown: open })
    await flushPromises()
    expect(calls).toEqual(['readData', 'readData'])
    expect(stored.get('app-1')).toMatchObject({ values: { surname: 'Abena' }, theirs: { version: 3 } })
  })

  it('does not send the refused write again while the choice is open', async () => {
    const sending = {
      key: 'key-1',
      values: form('Mbock'),
      complete: false,
      baseVersion: 4,
      additionalData: '',
    }
    const { stored, calls } = openEngine({ ...open, sending })
    await flushPromises()
    expect(calls).toEqual(['saveData'])
    expect(stored.get('app-1')).toMatchObject({ values: { surname: 'Mbock' }, theirs: { version: 5 } })
  })
})

describe('a choice that the applicant has made, but that a full disk has not saved (D32)', () => {
  it('is not offered again once the server has the chosen answer', async () => {
    const server = { version: 6, epoch: 'before', surname: 'Mbock' }
    const { sync, stored, calls } = openEngine(open, { server })
    // The applicant opens the form.
    sync.refresh('app-1')
    await flushPromises()
    expect(calls).toEqual(['readData'])
    const draft = stored.get('app-1')
    expect(draft).toMatchObject({ values: { surname: 'Mbock' }, base: { version: 6 } })
    expect(draft?.theirs).toBeUndefined()
  })

  it('is compared with the server again when the first read has failed', async () => {
    const server = { version: 6, epoch: 'before', surname: 'Mbock' }
    const { stored, calls } = openEngine({ ...open, attempts: 1 }, { server })
    await flushPromises()
    expect(calls).toEqual(['readData'])
    expect(stored.get('app-1')?.theirs).toBeUndefined()
  })

  it('is offered with the newest form of the server', async () => {
    const server = { version: 6, epoch: 'before', surname: 'Essomba' }
    const { sync, stored, calls } = openEngine(open, { server })
    sync.refresh('app-1')
    await flushPromises()
    expect(calls).toEqual(['readData'])
    expect(stored.get('app-1')).toMatchObject({
      values: { surname: 'Mbock' },
      theirs: { version: 6, values: { surname: 'Essomba' } },
    })
  })
})
