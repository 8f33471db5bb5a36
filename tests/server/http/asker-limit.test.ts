import { describe, expect, it } from 'vitest'
import { createAskerAllowances, networksInProcess, type TakeOfAsker } from '#server/calls/asker-limit.ts'
import { configOf } from '#support/servers/services-on.ts'

type Parts = Parameters<typeof createAskerAllowances>[0]

function openAllowances(env: Record<string, string> = { TRUSTED_PROXIES: 'loopback' }) {
  let nowMs = 1_000_000
  const clock = { now: () => new Date(nowMs) }
  // The function reads only one of the secrets.
  const services = {
    clock,
    config: configOf(env),
    secrets: { codeKey: new Uint8Array(32) },
  } as unknown as Parts
  const take = createAskerAllowances(services, {
    applicant: { burst: 4, perMinute: 60 },
    share: { burst: 1, perMinute: 1 },
    network: networksInProcess(clock, { burst: 2, perMinute: 2 }),
  })
  return { take, advance: (ms: number) => (nowMs += ms) }
}

let accounts = 0

/** Another account each time, which has used its share: only its network decides. */
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

  it('have one for a /64, whatever the address in it', async () => {
    const { take } = openAllowances()
    const waits = []
    for (const address of ['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:1:2:9::3', '2001:db8:1:3::1'])
      waits.push(await takeFrom(take, address))
    expect(waits).toEqual([0, 0, 30, 0])
  })

  it.each([
    ['/24', (index: number) => `41.202.207.${index}`, '41.202.206.1'],
    ['/48', (index: number) => `2001:db8:1:${index}::1`, '2001:db8:2::1'],
  ] as const)('have one ten times as high for a %s', async (_, addressOf, elsewhere) => {
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

  it('cost no applicant the own share, also in a network that has none left', async () => {
    const { take, advance } = openAllowances()
    const own = { applicantId: 'own', address: '41.202.207.1' }
    await takeTimes(take, own.address, 3)
    expect(await take(own)).toBe(0)
    expect(await take(own)).toBe(30)
    advance(60_000)
    expect(await take(own)).toBe(0)
  })

  it('are as many as the applicant may have on the own machine in the demo', async () => {
    const { take } = openAllowances({})
    const waits = []
    for (let time = 0; time < 5; time += 1)
      waits.push(await take({ applicantId: 'demo', address: '127.0.0.1' }))
    expect(waits).toEqual([0, 0, 0, 0, 1])
  })
})
