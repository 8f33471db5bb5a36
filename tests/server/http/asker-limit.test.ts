import { describe, expect, it } from 'vitest'
import {
  askerOf,
  createAskerAllowances,
  createAskerLimit,
  networksInProcess,
  type TakeOfAsker,
} from '#server/calls/asker-limit.ts'
import { createCallLimit, createKeyLimit } from '#server/http/call-limit.ts'
import { configOf } from '#support/servers/services-on.ts'

type Parts = Parameters<typeof createAskerAllowances>[0]

/** Services with a clock of the test. The limits read only one of the secrets. */
function openServices(env: Record<string, string> = { TRUSTED_PROXIES: 'loopback' }) {
  let nowMs = 1_000_000
  const clock = { now: () => new Date(nowMs) }
  const services = {
    clock,
    config: configOf(env),
    secrets: { codeKey: new Uint8Array(32) },
  } as unknown as Parts
  return { services, clock, advance: (ms: number) => (nowMs += ms) }
}

function openAllowances(env?: Record<string, string>) {
  const { services, clock, advance } = openServices(env)
  const take = createAskerAllowances(services, {
    applicant: { burst: 4, perMinute: 60 },
    share: { burst: 1, perMinute: 1 },
    network: networksInProcess(clock, { burst: 2, perMinute: 2 }),
  })
  return { take, advance }
}

let accounts = 0

/**
 * Takes a call of another account each time, which has used its share: only its network decides. Returns the seconds to
 * wait; 0 when the call is allowed.
 */
async function takeFrom(take: TakeOfAsker, address: string): Promise<number> {
  const asker = { applicantId: `account ${(accounts += 1)}`, address }
  expect(await take(asker)).toBe(0)
  return take(asker)
}

async function takeTimes(take: TakeOfAsker, address: string, times: number): Promise<number[]> {
  const waits = []
  for (let time = 0; time < times; time += 1) waits.push(await takeFrom(take, address))
  return waits
}

describe('the calls of one network beyond the share of each applicant (D120)', () => {
  it('have a limit for an address, until the rate allows another one', async () => {
    const { take, advance } = openAllowances()
    expect(await takeTimes(take, '41.202.207.1', 3)).toEqual([0, 0, 30])
    expect(await takeFrom(take, '41.202.207.2')).toBe(0)
    advance(30_000)
    expect(await takeTimes(take, '41.202.207.1', 2)).toEqual([0, 30])
  })

  it('have a limit for a /64, whatever the address in it', async () => {
    const { take } = openAllowances()
    const waits = []
    for (const address of ['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:1:2:9::3', '2001:db8:1:3::1'])
      waits.push(await takeFrom(take, address))
    expect(waits).toEqual([0, 0, 30, 0])
  })

  it.each([
    ['/24', (index: number) => `41.202.207.${index}`, '41.202.206.1'],
    ['/48', (index: number) => `2001:db8:1:${index}::1`, '2001:db8:2::1'],
  ] as const)('have a limit ten times as high for a %s', async (_, addressOf, elsewhere) => {
    const { take } = openAllowances()
    const waits = []
    for (let index = 1; index <= 21; index += 1) waits.push(await takeFrom(take, addressOf(index)))
    expect(waits).toEqual([...Array.from({ length: 20 }, () => 0), 3])
    expect(await takeFrom(take, elsewhere)).toBe(0)
  })

  it('that are refused cost the addresses nearby nothing', async () => {
    const { take } = openAllowances()
    await takeTimes(take, '41.202.207.1', 30)
    expect(await takeTimes(take, '41.202.207.2', 3)).toEqual([0, 0, 30])
  })

  it('do not count for the address when the /24 refuses them', async () => {
    const { take, advance } = openAllowances()
    for (let index = 1; index <= 10; index += 1) await takeTimes(take, `41.202.207.${index}`, 2)
    advance(2_500)
    expect(await takeTimes(take, '41.202.207.99', 3)).toEqual([1, 1, 1])
    advance(3_500)
    expect(await takeTimes(take, '41.202.207.99', 2)).toEqual([0, 0])
  })

  it('cost no applicant the own share, also in a network that has none left', async () => {
    const { take, advance } = openAllowances()
    const own = { applicantId: 'own', address: '41.202.207.1' }
    await takeTimes(take, own.address, 3)
    expect(await take(own)).toBe(0)
    expect(await take(own)).toBe(30)
    advance(60_000)
    expect(await take(own)).toBe(0)
  })

  it('have no limit but that of the applicant when they come from the local machine in the demo', async () => {
    const { take } = openAllowances({})
    const waits = []
    for (let time = 0; time < 5; time += 1)
      waits.push(await take({ applicantId: 'demo', address: '127.0.0.1' }))
    expect(waits).toEqual([0, 0, 0, 0, 1])
  })
})

const run = () => Promise.resolve('ran')

describe('a call beyond all limits', () => {
  const one = { burst: 1, perMinute: 2 }

  it('is refused with the seconds until the share allows the next call, however long the network refuses (D120)', async () => {
    const { services, advance } = openServices()
    const limit = createAskerLimit(services, {
      applicant: { burst: 10, perMinute: 10 },
      share: one,
      network: () => Number.POSITIVE_INFINITY,
    })
    const asker = askerOf({ applicantId: 'a' }, { address: '41.202.207.1' })
    expect(await limit(asker, run)).toBe('ran')
    expect(await limit(asker, run)).toEqual({ refused: 'too-many-requests', data: { seconds: 30 } })
    expect(await limit(askerOf({ applicantId: 'b' }, asker), run)).toBe('ran')
    advance(29_000)
    expect(await limit(asker, run)).toEqual({ refused: 'too-many-requests', data: { seconds: 1 } })
    advance(1_000)
    expect(await limit(asker, run)).toBe('ran')
  })

  it('is refused for the applicant first, and then costs neither the share nor the network (D97)', async () => {
    const { services, advance } = openServices()
    let asked = 0
    const take = createAskerAllowances(services, {
      applicant: one,
      share: { burst: 2, perMinute: 1 },
      network: () => (asked += 1),
    })
    const asker = { applicantId: 'a', address: '41.202.207.1' }
    expect([await take(asker), await take(asker), await take(asker)]).toEqual([0, 30, 30])
    advance(30_000)
    expect(await take(asker)).toBe(0)
    advance(30_000)
    expect(await take(asker)).toBe(0)
    expect(asked).toBe(0)
  })
})

/** How many calls are answered before the first one that is refused; at most `most`. */
async function allowed(take: TakeOfAsker, applicantId: string, most: number): Promise<number> {
  for (let count = 0; count < most; count += 1)
    if ((await take({ applicantId, address: '41.202.207.1' })) > 0) return count
  return most
}

describe('all calls together (D69, D120)', () => {
  it.each([
    [0, 600],
    [249, 600],
    [250, 601],
    [1_000, 604],
    [3_600_000, 1_200],
  ])('of one applicant are 600 in a row, then 240 a minute: after %i ms %i', async (ms, count) => {
    const { services, advance } = openServices()
    const take = createCallLimit(services)
    const before = await allowed(take, 'a', 2_000)
    advance(ms)
    expect(before + (await allowed(take, 'a', 2_000))).toBe(count)
  })

  it('beyond the share of each applicant (200, then 60 a minute) are 600, then 240 a minute, for a whole network', async () => {
    const { services, advance } = openServices()
    const take = createCallLimit(services)
    expect(await allowed(take, 'a', 600)).toBe(600)
    expect(await allowed(take, 'b', 600)).toBe(400)
    expect(await allowed(take, 'c', 600)).toBe(200)
    advance(249)
    expect(await allowed(take, 'c', 10)).toBe(0)
    advance(1)
    expect(await allowed(take, 'c', 10)).toBe(1)
    advance(749)
    expect(await allowed(take, 'b', 10)).toBe(2)
    expect(await allowed(take, 'c', 10)).toBe(0)
    advance(1)
    expect(await allowed(take, 'c', 10)).toBe(2)
  })
})

describe('the stored answers of writes (D13, D69)', () => {
  it.each([
    [0, 600],
    [5_999, 600],
    [6_000, 601],
    [3_600_000, 1_200],
  ])('of one applicant are 600 in a row, then 600 an hour: after %i ms %i', (ms, count) => {
    const { services, advance } = openServices()
    const take = createKeyLimit(services)
    const takeMany = () => Array.from({ length: 2_000 }, () => take('a')).filter(seconds => seconds === 0)
    const before = takeMany().length
    advance(ms)
    expect(before + takeMany().length).toBe(count)
    expect(take('b')).toBe(0)
  })
})
