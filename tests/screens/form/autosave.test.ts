import { describe, expect, it } from 'vitest'
import { createAutosave, type SaveState, type FormSaveResult } from '#screens/form/autosave.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

/** A form of one answer, and a store that keeps it when it is told to. */
function open({ kept: isSaved = false } = {}) {
  const device = createFakeDevice()
  const written: string[] = []
  const waiting: ((result: FormSaveResult) => void)[] = []
  const form = { answer: '' }
  const autosave = createAutosave({
    isSaved,
    after: (milliseconds, run) => device.after(milliseconds, run),
    save() {
      written.push(form.answer)
      return new Promise(resolve => waiting.push(resolve))
    },
  })
  const said: SaveState['kind'][] = []
  autosave.subscribe(() => said.push(autosave.state().kind))
  return {
    autosave,
    device,
    written,
    said,
    type: (answer: string) => {
      form.answer = answer
      autosave.changed()
    },
    finishSave: async (result: FormSaveResult = { kind: 'kept' }) => {
      waiting.shift()?.(result)
      await new Promise(resolve => {
        setImmediate(resolve)
      })
    },
  }
}

describe('D30 the form keeps itself', () => {
  it('soon after the last key, and not at each of them', async () => {
    const { device, written, type } = open()
    for (const answer of ['N', 'Ng', 'Ngo']) {
      type(answer)
      await device.advance(100)
    }
    expect(written).toEqual([])
    await device.advance(50)
    expect(written).toEqual(['Ngo'])
  })

  it('says that it is kept when it is, and not before', async () => {
    const { device, said, type, finishSave } = open()
    type('Ngo')
    await device.advance(150)
    expect(said).toEqual(['keeping'])
    await finishSave()
    expect(said).toEqual(['keeping', 'kept'])
  })

  it('writes what was typed during a write after it, never beside it', async () => {
    const { autosave, device, written, said, type, finishSave } = open()
    type('Ngo')
    await device.advance(150)
    type('Ngo B')
    await device.advance(150)
    expect(written).toEqual(['Ngo'])
    await finishSave()
    expect(written).toEqual(['Ngo', 'Ngo B'])
    expect(said).toEqual(['keeping'])
    await finishSave()
    expect(autosave.state()).toEqual({ kind: 'kept' })
  })

  it('writes at once when asked, and only what is not written yet', async () => {
    const { autosave, device, written, type, finishSave } = open()
    await autosave.flush()
    expect(written).toEqual([])
    type('Ngo')
    const flushed = autosave.flush()
    expect(written).toEqual(['Ngo'])
    await finishSave()
    await flushed
    await device.advance(1_000)
    expect(written).toEqual(['Ngo'])
  })

  it('says that it is not kept, and tries again with the next key', async () => {
    const { autosave, device, type, finishSave } = open()
    type('Ngo')
    await device.advance(150)
    await finishSave({ kind: 'not-kept', reason: 'full' })
    expect(autosave.state()).toEqual({ kind: 'not-kept', reason: 'full' })
    type('Ngo B')
    await device.advance(150)
    await finishSave()
    expect(autosave.state()).toEqual({ kind: 'kept' })
  })

  it.each([
    [true, 'kept'],
    [false, 'untouched'],
  ])('starts with the truth: opened from this device %s, so %s', (kept, kind) => {
    expect(open({ kept }).autosave.state().kind).toBe(kind)
  })
})
