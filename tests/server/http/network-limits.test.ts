import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { createApp } from '#server/start/app.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { bodyOf, type SignedInDirectly, signInDirectly } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { isFullRun } from '#support/test-tier.ts'
import { createScriptedProvider } from '../payments/scripted-provider.ts'

let server: TestServer
let other: FastifyInstance | undefined

beforeEach(async () => {
  server = await startTestServer({
    offices: 'none',
    env: { TRUSTED_PROXIES: 'loopback' },
    providers: { MOBILE: createScriptedProvider().provider },
  })
})
afterEach(async () => {
  await other?.close()
  other = undefined
  await server.close()
})

const crowd = (count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      signInDirectly(server, { phone: String(237_671_000_000 + index) }),
    ),
  )

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

/** Cheap calls of each kind: most of them ask for something that does not exist. */
const calls = {
  order: (applicant: SignedInDirectly, address: string) =>
    applicant.call('cancelPayment', { params: { id: randomUUID() }, body: {}, ...from(address) }),
  poll: (applicant: SignedInDirectly, address: string) =>
    applicant.call('listPayments', { query: { applicationId: randomUUID() }, ...from(address) }),
  file: (applicant: SignedInDirectly, address: string) =>
    applicant.call('paymentProof', { params: { id: randomUUID() }, ...from(address) }),
  any: (applicant: SignedInDirectly, address: string) => applicant.call('listPaymentMethods', from(address)),
}

type Refusable = { status: number; headers: Record<string, unknown> }

/** Sends calls in turns; returns how many were refused for their number. Each refusal says when to come back. */
async function countRefused(
  call: (applicant: SignedInDirectly, address: string) => Promise<Refusable>,
  {
    applicants,
    times,
    addressOf,
  }: { applicants: SignedInDirectly[]; times: number; addressOf: (index: number) => string },
): Promise<number> {
  let refused = 0
  for (let time = 0; time < times; time += 1)
    for (const [index, applicant] of applicants.entries()) {
      const answer = await call(applicant, addressOf(index))
      if (answer.status !== 429) continue
      refused += 1
      expect(answer).toMatchObject({ kind: 'failed', failure: { reason: 'too-many-requests' } })
      const seconds = Number(answer.headers['retry-after'])
      expect(seconds).toBeGreaterThan(0)
      expect(seconds).toBeLessThanOrEqual(60)
    }
  return refused
}

const attackersAddress = '198.18.7.7'

describe('twenty accounts at one address (D120)', () => {
  it.each([
    // What all twenty may do at once: the own share of each, and the further calls of their network. The full run sends
    // more calls after the limit.
    ['orders', calls.order, isFullRun ? 25 : 11, 20 * 6 + 60],
    ['files', calls.file, isFullRun ? 15 : 8, 20 * 5 + 20],
    ['polls', calls.poll, isFullRun ? 50 : 38, 20 * 30 + 120],
  ] as const)('share the further %s of one network', async (_, call, times, allowed) => {
    const applicants = await crowd(20)
    const all = { applicants, times, addressOf: () => attackersAddress }
    expect(await countRefused(call, all)).toBe(20 * times - allowed)
  })

  it('keep no other applicant there from paying, nor anybody elsewhere from trying often', async () => {
    const applicants = await crowd(20)
    await countRefused(calls.order, { applicants, times: 12, addressOf: () => attackersAddress })
    const honest = await signInDirectly(server, { phone: '237672000000' })
    const { id } = bodyOf(await honest.call('createApplication')).data
    await honest.call('confirmData', { params: { id }, body: toWire(firstPassport) })
    const pay = { query: { applicationId: id, phone: '237672000000' }, ...from(attackersAddress) }
    expect((await honest.call('startMobilePayment', pay)).status).toBe(200)
    const elsewhere = await crowd(1)
    const often = { applicants: elsewhere, times: 30, addressOf: () => '41.202.9.9' }
    expect(await countRefused(calls.order, often)).toBe(0)
  })

  it('have no further orders at another process, whose own memory knows nothing of them', async () => {
    const applicants = await crowd(20)
    await countRefused(calls.order, { applicants, times: 12, addressOf: () => attackersAddress })
    other = createApp(server.services, { providers: { MOBILE: createScriptedProvider().provider } })
    const [late] = await crowd(1)
    const atOther = late && (await orderedAt(other, late, 7))
    expect(atOther).toEqual([404, 404, 404, 404, 404, 404, 429])
  })

  it('may go on after the hour', async () => {
    const applicants = await crowd(20)
    const all = { applicants, addressOf: () => attackersAddress }
    await countRefused(calls.order, { ...all, times: 12 })
    await server.advanceSeconds(3_600)
    expect(await countRefused(calls.order, { ...all, times: 9 })).toBe(0)
  })
})

describe('four accounts at one address (D120, ASVS 2.4.1)', () => {
  it('share the further calls of one network when the call has no limit of its own', async () => {
    const times = isFullRun ? 400 : 360
    const all = { applicants: await crowd(4), times, addressOf: () => attackersAddress }
    const refused = await countRefused(calls.any, all)
    const expected = 4 * times - (4 * 200 + 600)
    // The clock of the server is slow but does not stand still: on a busy machine it gives a few calls back.
    expect(refused).toBeLessThanOrEqual(expected)
    expect(refused).toBeGreaterThan(expected - 10)
  })
})

describe('honest applicants of one network (D120)', () => {
  // Three at each address; each address has its own count.
  const crowdSize = isFullRun ? 150 : 15

  it(`are not limited by each other: ${crowdSize} at once behind the NAT of a carrier`, async () => {
    const applicants = await crowd(crowdSize)
    const behindNat = { applicants, addressOf: (index: number) => `41.202.207.${index % (crowdSize / 3)}` }
    expect(await countRefused(calls.order, { ...behindNat, times: 4 })).toBe(0)
    expect(await countRefused(calls.file, { ...behindNat, times: 3 })).toBe(0)
    expect(await countRefused(calls.poll, { ...behindNat, times: 8 })).toBe(0)
  })

  it.runIf(isFullRun)(
    'are not limited by each other at the kiosks of an office: six an hour at each of 30',
    async () => {
      const office = '41.202.8.8'
      for (let round = 0; round < 6; round += 1) {
        const applicants = await crowd(30)
        const atOffice = { applicants, addressOf: () => office }
        expect(await countRefused(calls.order, { ...atOffice, times: 3 })).toBe(0)
        expect(await countRefused(calls.poll, { ...atOffice, times: 10 })).toBe(0)
        expect(await countRefused(calls.file, { ...atOffice, times: 3 })).toBe(0)
        await server.advanceSeconds(600)
      }
    },
  )
})

async function orderedAt(
  app: FastifyInstance,
  { token }: SignedInDirectly,
  times: number,
): Promise<number[]> {
  const statuses = []
  for (let time = 0; time < times; time += 1) {
    const { statusCode } = await app.inject({
      method: 'POST',
      url: `/api/v1/payments/${randomUUID()}/cancel`,
      headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': attackersAddress },
      payload: {},
    })
    statuses.push(statusCode)
  }
  return statuses
}
