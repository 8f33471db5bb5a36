import { describe, expect, it } from 'vitest'
import { createAutosave, type Keeping, type Kept } from '#screens/form/autosave.ts'
import { createWoundDevice } from '#support/wound-device.ts'

/** A form of one answer, and a store that keeps it when it is told to. */
function open({ kept = false } = {}) {
  const device = createWoundDevice()
  const written: string[] = []
  const waiting: ((result: Kept) => void)[] = []
  const form = { answer: '' }
  const autosave = createAutosave({
    kept,
    after: (milliseconds, run) => device.after(milliseconds, run),
    write() {
      written.push(form.answer)
      return new Promise(resolve => waiting.push(resolve))
    },
  })
  const said: Keeping['kind'][] = []
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
    settle: async (result: Kept = { kind: 'kept' }) => {
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
      await device.wind(100)
    }
    expect(written).toEqual([])
    await device.wind(50)
    expect(written).toEqual(['Ngo'])
  })

  it('says that it is kept when it is, and not before', async () => {
    const { device, said, type, settle } = open()
    type('Ngo')
    await device.wind(150)
    expect(said).toEqual(['keeping'])
    await settle()
    expect(said).toEqual(['keeping', 'kept'])
  })

  it('writes what was typed during a write after it, never beside it', async () => {
    const { autosave, device, written, said, type, settle } = open()
    type('Ngo')
    await device.wind(150)
    type('Ngo B')
    await device.wind(150)
    expect(written).toEqual(['Ngo'])
    await settle()
    expect(written).toEqual(['Ngo', 'Ngo B'])
    expect(said).toEqual(['keeping'])
    await settle()
    expect(autosave.state()).toEqual({ kind: 'kept' })
  })

  it('writes at once when asked, and only what is not written yet', async () => {
    const { autosave, device, written, type, settle } = open()
    await autosave.flush()
    expect(written).toEqual([])
    type('Ngo')
    const flushed = autosave.flush()
    expect(written).toEqual(['Ngo'])
    await settle()
    await flushed
    await device.wind(1_000)
    expect(written).toEqual(['Ngo'])
  })

  it('says that it is not kept, and tries again with the next key', async () => {
    const { autosave, device, type, settle } = open()
    type('Ngo')
    await device.wind(150)
    await settle({ kind: 'not-kept', why: 'full' })
    expect(autosave.state()).toEqual({ kind: 'not-kept', why: 'full' })
    type('Ngo B')
    await device.wind(150)
    await settle()
    expect(autosave.state()).toEqual({ kind: 'kept' })
  })

  it.each([
    [true, 'kept'],
    [false, 'untouched'],
  ])('starts with the truth: opened from this device %s, so %s', (kept, kind) => {
    expect(open({ kept }).autosave.state().kind).toBe(kind)
  })
})
