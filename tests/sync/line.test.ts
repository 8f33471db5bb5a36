import { describe, expect, it } from 'vitest'
import { createLine, type Line } from '#sync/line.ts'
import { createWoundDevice } from '#support/wound-device.ts'

/** A line whose every question is counted, and answered as told. */
function openLine() {
  const device = createWoundDevice()
  const probes: number[] = []
  let answers = false
  const line: Line = createLine(device, () => {
    probes.push(device.now())
    line.reached(answers)
  })
  return { device, line, probes, mend: () => (answers = true) }
}

describe('a line that went unanswered (D34)', () => {
  it('is tried again soon, then now and then, until it answers', async () => {
    const { device, line, probes, mend } = openLine()
    const began = device.now()
    line.reached(false)
    await device.wind(40_000)
    expect(line.isDown()).toBe(true)
    expect(probes.map(at => at - began)).toEqual([2_000, 17_000, 32_000])
    mend()
    await device.wind(10_000)
    expect(line.isDown()).toBe(false)
    await device.wind(60_000)
    expect(probes).toHaveLength(4)
  })

  it('is tried where the device itself says that there is none: it may be wrong', async () => {
    const { device, line, probes } = openLine()
    device.setOnline(false)
    expect(line.isDown()).toBe(true)
    await device.wind(3_000)
    expect(probes).toHaveLength(1)
  })

  it('is left alone while it answers', async () => {
    const { device, line, probes } = openLine()
    line.reached(true)
    await device.wind(60_000)
    expect(probes).toEqual([])
  })
})
