import { describe, expect, it } from 'vitest'
import { ApplicationData, emptyForm, type FormValues, toWire } from '#contract/application.ts'
import { newDraft, type ServerForm } from '#store/draft.ts'
import { afterConfirmed, mergeServerData } from '#sync/merge-draft.ts'
import { prepareSending } from '#sync/sending.ts'
import type { SyncEvent } from '#sync/sync-parts.ts'
import { createSignedInSync } from '#support/fixtures/signed-in-sync.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'
import { flushPromises } from '#support/settle.ts'
import { createMemoryDrafts } from './simulation.ts'

type Answer = { version: number; epoch: string; state: string; surname: string }

const form = (surname: string): FormValues => ({ ...emptyForm(), surname })
const known: Answer = { version: 5, epoch: 'e', state: 'NEW', surname: 'Ngo' }
const confirmed: Answer = { ...known, version: 6, state: 'DATA_SAVED' }

function dataOf({ version, epoch, state, surname }: Answer): ApplicationData {
  return ApplicationData.parse({
    ...toWire(form(surname)),
    additionalData: '',
    version,
    epoch,
    currentState: state,
  })
}

function formOf({ version, epoch, surname }: Answer): ServerForm {
  return { version, epoch, additionalData: '', values: form(surname), at: 0 }
}

/** An engine that has begun its first read. `answerRead` gives the answer, and lets the read be repeated if it must be. */
async function openEngine() {
  const stored = new Map([
    ['app-1', newDraft({ values: form('Ngo'), tab: 'NicData', base: formOf(known), attempts: 1 })],
  ])
  const events: SyncEvent['kind'][] = []
  const reads: ((answer: unknown) => void)[] = []
  const call = async (name: string) => {
    if (name !== 'readData') throw new Error(`${name} is not expected`)
    return new Promise(resolve => void reads.push(resolve))
  }
  const device = createFakeDevice()
  const sync = createSignedInSync({
    device,
    openDrafts: async () => createMemoryDrafts(stored, new Map()),
    call,
    onEvent: ({ kind }) => void events.push(kind),
  })
  await flushPromises()
  return {
    stored,
    events,
    reads,
    confirm: () => sync.saveConfirmed('app-1', dataOf(confirmed), form('Ngo')),
    answerRead: async (answer: Answer) => {
      reads.shift()?.({ ok: true, value: { data: dataOf(answer) } })
      await flushPromises()
    },
  }
}

describe('a read that begins before a confirmation and is answered after it (D62)', () => {
  it('does not replace the confirmed form, and is repeated', async () => {
    const { stored, events, reads, confirm, answerRead } = await openEngine()
    await confirm()
    await answerRead(known)
    expect(stored.get('app-1')?.base).toMatchObject({ version: 6 })
    expect(reads).toHaveLength(1)
    await answerRead(confirmed)
    expect(reads).toEqual([])
    const draft = stored.get('app-1')
    if (!draft) throw new Error('The draft is gone')
    // The next change is based on the confirmed form, so the server accepts it.
    const changed = prepareSending({ ...draft, values: form('Mbock') }, 'key', true)
    expect(changed.sending?.baseVersion).toBe(6)
    expect(events).not.toContain('replaced')
  })

  it.each([
    ['epoch', { version: 1_003, epoch: 'restored' }],
    ['version', { version: 3 }],
  ])(
    'still notices by its %s a server that was restored between the read and its answer',
    async (_, restored) => {
      const { stored, events, reads, confirm, answerRead } = await openEngine()
      const older = { ...known, ...restored, surname: 'Older' }
      await confirm()
      await answerRead(older)
      await answerRead(older)
      expect(reads).toEqual([])
      expect(stored.get('app-1')).toMatchObject({ values: { surname: 'Ngo' }, theirs: restored })
      expect(events).toContain('lost-by-server')
    },
  )

  it('merges a newer form at once', async () => {
    const { stored, reads, confirm, answerRead } = await openEngine()
    await confirm()
    await answerRead({ ...confirmed, version: 7, surname: 'Abena' })
    expect(reads).toEqual([])
    expect(stored.get('app-1')).toMatchObject({ values: { surname: 'Abena' }, base: { version: 7 } })
  })
})

it('keeps what was typed since the press when the sync knows of the confirmation before its answer', () => {
  const typed = newDraft({ values: form('Mbock'), tab: 'NicData', base: formOf(known) })
  const { draft, isReplaced } = mergeServerData(typed, dataOf(confirmed), 0)
  expect(isReplaced).toBe(false)
  expect(afterConfirmed(draft, formOf(confirmed), form('Ngo'))).toMatchObject({
    values: { surname: 'Mbock' },
    base: { version: 6 },
  })
})

describe('the answer to a confirmation that comes late, or is repeated after the form has changed again', () => {
  it.each([
    ['that another device has sent', 'Abena'],
    ['that was typed since the press', 'Ngo'],
  ])('does not replace a newer form %s', (_, atPress) => {
    const newer = formOf({ ...confirmed, version: 7, surname: 'Abena' })
    const stored = newDraft({ values: newer.values, tab: 'NicData', base: newer })
    expect(afterConfirmed(stored, formOf(confirmed), form(atPress))).toBe(stored)
  })
})
