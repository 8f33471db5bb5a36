import { describe, expect, it } from 'vitest'
import { createConnectivity, type Connectivity } from '#sync/connectivity.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

/** A connectivity whose probes are counted and answered as the test says. */
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

describe('connectivity after a call without a response (D34)', () => {
  it('probes after 2 s and then every 15 s until the service answers', async () => {
    const { device, line, probes, mend } = openConnectivity()
    const startMs = device.now()
    line.reportResponse(false)
    await device.advance(40_000)
    expect(line.isUnreachable()).toBe(true)
    expect(probes.map(at => at - startMs)).toEqual([2_000, 17_000, 32_000])
    mend()
    await device.advance(10_000)
    expect(line.isUnreachable()).toBe(false)
    await device.advance(60_000)
    expect(probes).toHaveLength(4)
  })

  it('probes the service when the device reports that it is offline', async () => {
    const { device, line, probes } = openConnectivity()
    device.setOnline(false)
    expect(line.isUnreachable()).toBe(true)
    await device.advance(3_000)
    expect(probes).toHaveLength(1)
  })

  it('sends no probe while the service answers', async () => {
    const { device, line, probes } = openConnectivity()
    line.reportResponse(true)
    await device.advance(60_000)
    expect(probes).toEqual([])
  })
})
