import { describe, expect, it } from 'vitest'
import { createAutosave, type SaveState, type FormSaveResult } from '#screens/form/autosave.ts'
import type { FormOrigin } from '#screens/form/form-start.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

/** An autosave for a form with one answer. Each save waits until the test finishes it. */
function openAutosave({ origin = 'server' }: { origin?: FormOrigin } = {}) {
  const device = createFakeDevice()
  const startedSaves: string[] = []
  const pendingSaves: ((result: FormSaveResult) => void)[] = []
  const form = { answer: '' }
  const autosave = createAutosave({
    origin,
    after: (delayMs, run) => device.after(delayMs, run),
    save() {
      startedSaves.push(form.answer)
      return new Promise(resolve => pendingSaves.push(resolve))
    },
  })
  const states: SaveState['kind'][] = []
  autosave.subscribe(() => states.push(autosave.state().kind))
  return {
    autosave,
    device,
    startedSaves,
    states,
    type: (answer: string) => {
      form.answer = answer
      autosave.changed()
    },
    finishSave: async (result: FormSaveResult = { kind: 'saved' }) => {
      pendingSaves.shift()?.(result)
      await new Promise(resolve => {
        setImmediate(resolve)
      })
    },
  }
}

describe('createAutosave', () => {
  it('saves once, 150 ms after the last keystroke (D30)', async () => {
    const { device, startedSaves, type } = openAutosave()
    for (const answer of ['N', 'Ng', 'Ngo']) {
      type(answer)
      await device.advance(100)
    }
    expect(startedSaves).toEqual([])
    await device.advance(50)
    expect(startedSaves).toEqual(['Ngo'])
  })

  it('reports the form as saved only when the write has ended (D30)', async () => {
    const { device, states, type, finishSave } = openAutosave()
    type('Ngo')
    await device.advance(150)
    expect(states).toEqual(['saving'])
    await finishSave()
    expect(states).toEqual(['saving', 'saved'])
  })

  it('saves changes made during a write in a second write after the first (D30)', async () => {
    const { autosave, device, startedSaves, states, type, finishSave } = openAutosave()
    type('Ngo')
    await device.advance(150)
    type('Ngo B')
    await device.advance(150)
    expect(startedSaves).toEqual(['Ngo'])
    await finishSave()
    expect(startedSaves).toEqual(['Ngo', 'Ngo B'])
    expect(states).toEqual(['saving'])
    await finishSave()
    expect(autosave.state()).toEqual({ kind: 'saved' })
  })

  it('saves at once on flush, and only if a change is unsaved (D30)', async () => {
    const { autosave, device, startedSaves, type, finishSave } = openAutosave()
    await autosave.flush()
    expect(startedSaves).toEqual([])
    type('Ngo')
    const flushed = autosave.flush()
    expect(startedSaves).toEqual(['Ngo'])
    await finishSave()
    await flushed
    await device.advance(1_000)
    expect(startedSaves).toEqual(['Ngo'])
  })

  it('reports a failed save, and saves again after the next keystroke (D30)', async () => {
    const { autosave, device, type, finishSave } = openAutosave()
    type('Ngo')
    await device.advance(150)
    await finishSave({ kind: 'not-saved', reason: 'full' })
    expect(autosave.state()).toEqual({ kind: 'not-saved', reason: 'full' })
    type('Ngo B')
    await device.advance(150)
    await finishSave()
    expect(autosave.state()).toEqual({ kind: 'saved' })
  })

  it.each<[FormOrigin, SaveState['kind']]>([
    ['device', 'saved'],
    ['page', 'saving'],
    ['server', 'untouched'],
  ])('with answers from the %s starts with the state %s (D30)', (origin, kind) => {
    expect(openAutosave({ origin }).autosave.state().kind).toBe(kind)
  })
})

it('saves the answers at the next flush when a save has thrown', async () => {
  const device = createFakeDevice()
  let attempts = 0
  const autosave = createAutosave({
    origin: 'server',
    after: (delayMs, run) => device.after(delayMs, run),
    async save() {
      attempts += 1
      if (attempts === 1) throw new Error('no memory for the encryption')
      return { kind: 'saved' }
    },
  })
  autosave.changed()
  await expect(autosave.flush()).rejects.toThrow('no memory')
  expect(autosave.state()).toEqual({ kind: 'not-saved', reason: 'lost' })
  await autosave.flush()
  expect([attempts, autosave.state()]).toEqual([2, { kind: 'saved' }])
})
