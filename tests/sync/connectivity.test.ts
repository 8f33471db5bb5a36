import { describe, expect, it } from 'vitest'
import type { Reach } from '#api/result.ts'
import { createConnectivity, type Connectivity } from '#sync/connectivity.ts'
import { isUnreachable, type ConnectionState, connectionStateOf } from '#sync/connection-state.ts'
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
  return { device, connectivity, probes, restoreService: () => (answers = true), hang: () => (hangs = true) }
}

describe('connectivity after a call without a response (D34)', () => {
  it('probes after 2 s, and in the first minute every 15 s, until the service answers', async () => {
    const { device, connectivity, probes, restoreService } = openConnectivity()
    const startMs = device.now()
    connectivity.reportResponse('no-answer')
    await device.advance(40_000)
    expect(connectivity.isUnreachable()).toBe(true)
    expect(probes.map(at => at - startMs)).toEqual([2_000, 17_000, 32_000])
    restoreService()
    await device.advance(10_000)
    expect(connectivity.isUnreachable()).toBe(false)
    await device.advance(60_000)
    expect(probes).toHaveLength(4)
  })

  it('wakes a phone at rest once a minute when the outage is longer than a minute', async () => {
    const { device, connectivity, probes } = openConnectivity()
    const startMs = device.now()
    connectivity.reportResponse('no-answer')
    await device.advance(5 * 60_000)
    expect(probes.map(at => (at - startMs) / 1_000)).toEqual([2, 17, 32, 47, 62, 122, 182, 242])
  })

  it('probes at once when the page is visible again, and then as after a new outage', async () => {
    const { device, connectivity, probes, restoreService } = openConnectivity()
    connectivity.reportResponse('no-answer')
    await device.advance(5 * 60_000)
    probes.length = 0
    device.hidePage()
    device.wakeUp()
    await device.advance(0)
    expect(probes).toHaveLength(1)
    await device.advance(17_000)
    expect(probes).toHaveLength(3)
    restoreService()
    device.wakeUp()
    await device.advance(0)
    expect(connectivity.isUnreachable()).toBe(false)
    device.wakeUp()
    await device.advance(60_000)
    expect(probes).toHaveLength(4)
  })

  it('probes the service when the device reports that it is offline', async () => {
    const { device, connectivity, probes } = openConnectivity()
    device.setOnline(false)
    expect(connectivity.isUnreachable()).toBe(true)
    await device.advance(3_000)
    expect(probes).toHaveLength(1)
  })

  it('sends no probe while the service answers', async () => {
    const { device, connectivity, probes } = openConnectivity()
    connectivity.reportResponse('answered')
    await device.advance(60_000)
    expect(probes).toEqual([])
  })
})

describe('an action that needs the service (OFF08, OFF09)', () => {
  it('probes a service that did not answer the last call, and continues when it is back', async () => {
    const { connectivity, probes, restoreService } = openConnectivity()
    connectivity.reportResponse('no-answer')
    expect(await connectivity.probeIfNeeded()).toBe(false)
    restoreService()
    expect(await connectivity.probeIfNeeded()).toBe(true)
    expect(await connectivity.probeIfNeeded()).toBe(true)
    expect(probes).toHaveLength(2)
  })

  it('continues as soon as the browser is online again and the service answers', async () => {
    const { device, connectivity, hang } = openConnectivity()
    hang()
    device.setOnline(false)
    device.setOnline(true)
    expect(connectivity.state()).toBe('no-answer')
    const reachable = connectivity.probeIfNeeded()
    connectivity.reportResponse('answered')
    expect(await reachable).toBe(true)
  })

  it('sends no probe when the browser reports no network', async () => {
    const { device, connectivity, probes } = openConnectivity()
    device.setOnline(false)
    expect([await connectivity.probeIfNeeded(), probes]).toEqual([false, []])
  })

  it('waits 10 s for the answer', async () => {
    const { device, connectivity, hang } = openConnectivity()
    connectivity.reportResponse('no-answer')
    hang()
    let isReachable: boolean | undefined
    void connectivity.probeIfNeeded().then(result => (isReachable = result))
    await device.advance(9_999)
    expect(isReachable).toBeUndefined()
    await device.advance(1)
    expect(isReachable).toBe(false)
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
    expect(isUnreachable(state)).toBe(down)
  })

  it('changes with the cause, but says only once that the service is unreachable', async () => {
    const { device, connectivity } = openConnectivity()
    const states: ConnectionState[] = []
    let changes = 0
    connectivity.subscribeToState(() => states.push(connectivity.state()))
    connectivity.subscribe(() => (changes += 1))
    connectivity.reportResponse('no-answer')
    connectivity.reportResponse('foreign')
    device.setOnline(false)
    connectivity.reportResponse('foreign')
    expect(states).toEqual(['no-answer', 'foreign', 'offline'])
    expect(changes).toBe(1)
  })

  it('announces the next try until its time, also when a call without a next try finds the service busy (D92)', async () => {
    const { device, connectivity } = openConnectivity()
    connectivity.reportResponse('busy', 12)
    await device.advance(5_000)
    connectivity.reportResponse('busy')
    expect(connectivity.nextTry()).toEqual({ until: device.now() + 7_000, length: 12 })
    await device.advance(7_000)
    connectivity.reportResponse('busy')
    expect(connectivity.nextTry()).toBeUndefined()
    connectivity.reportResponse('busy', 12)
    connectivity.reportResponse('answered')
    expect(connectivity.nextTry()).toBeUndefined()
  })

  it('is busy until 15 s after the next try when the service asks for more than 30 s (D92)', async () => {
    const { device, connectivity } = openConnectivity()
    connectivity.reportResponse('busy', 60)
    await device.advance(5_000)
    // A call in the background, which is not sent again.
    connectivity.reportResponse('busy')
    await device.advance(55_000)
    expect(connectivity.state()).toBe('busy')
    expect(connectivity.nextTry()).toEqual({ until: device.now(), length: 60 })
    await device.advance(14_999)
    expect(connectivity.state()).toBe('busy')
    await device.advance(1)
    expect(connectivity.state()).toBe('online')
    expect(connectivity.nextTry()).toBeUndefined()
  })

  it('is busy for 30 s without a probe, and starts no sync', async () => {
    const { device, connectivity, probes } = openConnectivity()
    let changes = 0
    connectivity.subscribe(() => (changes += 1))
    connectivity.reportResponse('busy')
    await device.advance(29_000)
    expect(connectivity.state()).toBe('busy')
    await device.advance(1_000)
    expect([connectivity.state(), changes, probes]).toEqual(['online', 0, []])
  })
})
