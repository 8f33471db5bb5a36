import { describe, expect, it } from 'vitest'
import type { Reach } from '#api/result.ts'
import { createConnectivity, type Connectivity } from '#sync/connectivity.ts'
import { isDown, type ConnectionState, connectionStateOf } from '#sync/connection-state.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

/** A connectivity whose probes are counted and answered as the test says. */
function openConnectivity() {
  const device = createFakeDevice()
  const probes: number[] = []
  let answers = false
  let hangs = false
  const connectivity: Connectivity = createConnectivity(device, async () => {
    probes.push(device.now())
    if (hangs) await new Promise(() => {})
    connectivity.reportResponse(answers ? 'answered' : 'no-answer')
  })
  return { device, line: connectivity, probes, mend: () => (answers = true), hang: () => (hangs = true) }
}

describe('connectivity after a call without a response (D34)', () => {
  it('probes after 2 s and then every 15 s until the service answers', async () => {
    const { device, line, probes, mend } = openConnectivity()
    const startMs = device.now()
    line.reportResponse('no-answer')
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
    line.reportResponse('answered')
    await device.advance(60_000)
    expect(probes).toEqual([])
  })
})

describe('an action that needs the service (OFF08, OFF09)', () => {
  it('probes a service that did not answer the last call, and goes on when it is back', async () => {
    const { line, probes, mend } = openConnectivity()
    line.reportResponse('no-answer')
    expect(await line.isReachableNow()).toBe(false)
    mend()
    expect(await line.isReachableNow()).toBe(true)
    expect(await line.isReachableNow()).toBe(true)
    expect(probes).toHaveLength(2)
  })

  it('goes on as soon as the browser is online again and the service answers', async () => {
    const { device, line, hang } = openConnectivity()
    hang()
    device.setOnline(false)
    device.setOnline(true)
    expect(line.state()).toBe('no-answer')
    const reachable = line.isReachableNow()
    line.reportResponse('answered')
    expect(await reachable).toBe(true)
  })

  it('sends no probe when the browser reports no network', async () => {
    const { device, line, probes } = openConnectivity()
    device.setOnline(false)
    expect([await line.isReachableNow(), probes]).toEqual([false, []])
  })

  it('waits 10 s for the answer', async () => {
    const { device, line, hang } = openConnectivity()
    line.reportResponse('no-answer')
    hang()
    const reachable = line.isReachableNow()
    await device.advance(10_000)
    expect(await reachable).toBe(false)
  })
})

describe('the state of the connection (D34)', () => {
  it.each<[ConnectionState, { seemsOnline: boolean; reach: Reach }, boolean]>([
    ['offline', { seemsOnline: false, reach: 'answered' }, true],
    ['offline', { seemsOnline: false, reach: 'foreign' }, true],
    ['offline', { seemsOnline: false, reach: 'busy' }, true],
    ['foreign', { seemsOnline: true, reach: 'foreign' }, true],
    ['no-answer', { seemsOnline: true, reach: 'no-answer' }, true],
    ['busy', { seemsOnline: true, reach: 'busy' }, false],
    ['online', { seemsOnline: true, reach: 'answered' }, false],
  ])('is %s after %o', (state, facts, down) => {
    expect(connectionStateOf(facts)).toBe(state)
    expect(isDown(state)).toBe(down)
  })

  it('changes with the cause, but says only once that the service is unreachable', async () => {
    const { device, line } = openConnectivity()
    const states: ConnectionState[] = []
    let changes = 0
    line.subscribeToState(() => states.push(line.state()))
    line.subscribe(() => (changes += 1))
    line.reportResponse('no-answer')
    line.reportResponse('foreign')
    device.setOnline(false)
    line.reportResponse('foreign')
    expect(states).toEqual(['no-answer', 'foreign', 'offline'])
    expect(changes).toBe(1)
  })

  it('is busy for 30 s without a probe, and starts no sync', async () => {
    const { device, line, probes } = openConnectivity()
    let changes = 0
    line.subscribe(() => (changes += 1))
    line.reportResponse('busy')
    await device.advance(29_000)
    expect(line.state()).toBe('busy')
    await device.advance(1_000)
    expect([line.state(), changes, probes]).toEqual(['online', 0, []])
  })
})
