import { describe, expect, it } from 'vitest'
import { createConnectivity, type Connectivity } from '#sync/connectivity.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

/** A line whose every question is counted, and answered as told. */
function openConnectivity() {
  const device = createFakeDevice()
  const probes: number[] = []
  let answers = false
  const connectivity: Connectivity = createConnectivity(device, () => {
    probes.push(device.now())
    connectivity.reportResponse(answers)
  })
  return { device, line: connectivity, probes, mend: () => (answers = true) }
}

describe('a line that went unanswered (D34)', () => {
  it('is tried again soon, then now and then, until it answers', async () => {
    const { device, line, probes, mend } = openConnectivity()
    const began = device.now()
    line.reportResponse(false)
    await device.advance(40_000)
    expect(line.isUnreachable()).toBe(true)
    expect(probes.map(at => at - began)).toEqual([2_000, 17_000, 32_000])
    mend()
    await device.advance(10_000)
    expect(line.isUnreachable()).toBe(false)
    await device.advance(60_000)
    expect(probes).toHaveLength(4)
  })

  it('is tried where the device itself says that there is none: it may be wrong', async () => {
    const { device, line, probes } = openConnectivity()
    device.setOnline(false)
    expect(line.isUnreachable()).toBe(true)
    await device.advance(3_000)
    expect(probes).toHaveLength(1)
  })

  it('is left alone while it answers', async () => {
    const { device, line, probes } = openConnectivity()
    line.reportResponse(true)
    await device.advance(60_000)
    expect(probes).toEqual([])
  })
})
