import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type SimulatorName, simulatorNames } from '#server/integrations/simulators/start-simulators.ts'
import type { WebhookCall } from '#server/integrations/simulators/simulator.ts'
import { isFullRun } from '#support/test-tier.ts'
import { openPaymentFixture, type PaymentApplicant, payers, type PaymentFixture } from './payment-fixture.ts'

let fixture: PaymentFixture
const table: { provider: SimulatorName; scenario: string; outcome: string; seconds: number }[] = []

beforeAll(async () => {
  fixture = await openPaymentFixture()
})
afterAll(async () => {
  await fixture?.close()
  process.stdout.write(printTable())
})

beforeEach(() => {
  for (const simulator of Object.values(fixture.simulators)) {
    simulator.behaviour = { start: 'normal', status: 'normal' }
    simulator.bend = {}
  }
})

/** What happens to one payment. Returns the expected outcome. */
type Scenario = (paying: PaymentApplicant) => Promise<'SUCCESS' | 'ERROR' | 'IN_PROGRESS'>

const scenarios: Record<string, Scenario> = {
  success: async paying => {
    await begin(paying)
    await sendWebhooks(await decide(paying, 'success'))
    return 'SUCCESS'
  },

  refusal: async paying => {
    await begin(paying)
    await sendWebhooks(await decide(paying, 'failed'))
    return 'ERROR'
  },

  'immediate refusal': async paying => {
    paying.simulator.behaviour.start = 'refuses'
    expect(await paying.pay()).toBeGreaterThanOrEqual(400)
    return 'ERROR'
  },

  'no reaction of the payer': async paying => {
    await begin(paying)
    await paying.pass(isFullRun ? 330 : 60)
    return 'IN_PROGRESS'
  },

  'late success after an error': async paying => {
    await begin(paying)
    await sendWebhooks(await decide(paying, 'failed'))
    expect(await paying.status()).toBe('ERROR')
    await sendWebhooks(await decide(paying, 'success'))
    return 'SUCCESS'
  },

  'late success after an error, webhook lost': async paying => {
    await begin(paying)
    await sendWebhooks(await decide(paying, 'failed'))
    await decide(paying, 'success')
    return 'SUCCESS'
  },

  'ten webhooks at once': async paying => {
    await begin(paying)
    const sent = await decide(paying, 'success')
    await sendWebhooks(Array.from({ length: 10 }, () => sent).flat())
    return 'SUCCESS'
  },

  'webhook lost': async paying => {
    await begin(paying)
    await decide(paying, 'success')
    return 'SUCCESS'
  },

  'webhook forged': async paying => {
    await begin(paying)
    const sent = await decide(paying, 'success')
    await undecide(paying)
    const forged = sent.map(each => ({
      ...each,
      headers: bendHeaders(each.headers),
      body: bendMac(each.body),
    }))
    const statuses = await fixture.deliver(forged)
    if (isSigned(paying)) expect(statuses.at(-1)).toBe(403)
    return 'IN_PROGRESS'
  },

  'success in the webhook, not in the status': async paying => {
    await begin(paying)
    const sent = await decide(paying, 'success')
    await undecide(paying)
    await sendWebhooks(sent)
    return 'IN_PROGRESS'
  },

  'webhook signed for another order': async paying => {
    const other = await fixture.newPaying(paying.name)
    await begin(other)
    await begin(paying)
    const sent = await decide(other, 'success')
    const { order_id: otherId } = await other.order()
    const { order_id: ownId } = await paying.order()
    await fixture.deliver(sent.map(each => ({ ...each, body: each.body.replaceAll(otherId, ownId) })))
    await expectSuccess(other)
    return 'IN_PROGRESS'
  },

  'other amount': wrongSuccess({ amount: 109_999 }),
  'other currency': wrongSuccess({ currency: 'EUR' }),
  'other order': wrongSuccess({ orderId: 'PO-2020-000001' }),

  'garbage, then valid answers': failingStatus('garbage'),
  '500, then valid answers': failingStatus('broken'),

  '500 at the start, no money taken': async paying => {
    paying.simulator.behaviour.start = 'broken'
    await paying.pay()
    await paying.pass(60)
    return 'ERROR'
  },

  'garbage at the start, payer asked all the same': failingStart('garbage'),
  'slow at the start, payer asked all the same': failingStart('slow'),

  'slow, then valid answers': async paying => {
    await begin(paying)
    paying.simulator.behaviour.status = 'slow'
    await sendWebhooks(await decide(paying, 'success'))
    expect(await paying.status()).toBe('IN_PROGRESS')
    paying.simulator.behaviour.status = 'normal'
    return 'SUCCESS'
  },
}

/** A timeout takes a real second, so each day tests one provider with it. */
const slowScenarios = Object.keys(scenarios).filter(name => name.startsWith('slow'))
const slowDaily: SimulatorName[] = ['mtn']

describe.each(simulatorNames)('%s', name => {
  const selected = Object.entries(scenarios).filter(
    // BACM has the same code as UBA and other credentials, so a daily sample is enough.
    ([scenario], index) =>
      isFullRun ||
      (slowScenarios.includes(scenario) ? slowDaily.includes(name) : name !== 'bacm' || index % 5 === 0),
  )

  it.each(selected)('has the expected outcome after: %s (D42, F1, PAY27)', async (scenario, run) => {
    const paying = await fixture.newPaying(name)
    const expected = await run(paying)
    const seconds = await paying.pass(60, async () => (await paying.status()) === expected)
    const outcome = (await paying.status()) ?? 'no order'
    table.push({ provider: name, scenario, outcome, seconds })
    expect(outcome).toBe(expected)
    expect(seconds).toBeLessThanOrEqual(60)
    await expectOnce(paying, expected)
  })

  const orders = permutationsOf(['a failure webhook', 'the success', 'a poll', 'the reconciler'])
  const sampleStep = name === 'mtn' ? 3 : 8
  const sample = isFullRun ? orders : orders.filter((_, index) => index % sampleStep === 2)

  it('ends with one success for every order of four events (D42, F1)', async () => {
    let slowest = 0
    for (const order of sample) {
      const paying = await fixture.newPaying(name)
      await begin(paying)
      const failed = await decide(paying, 'failed')
      for (const [index, event] of order.entries()) {
        if (event === 'a failure webhook') await sendWebhooks(failed)
        if (event === 'the success') await sendWebhooks(await decide(paying, 'success'))
        if (event === 'a poll') await paying.poll()
        if (event === 'the reconciler') await paying.pass(15)
        if (index < order.indexOf('the success')) expect(await paying.status()).not.toBe('SUCCESS')
      }
      const seconds = await paying.pass(60, async () => (await paying.status()) === 'SUCCESS')
      expect(seconds, order.join(', ')).toBeLessThanOrEqual(60)
      slowest = Math.max(slowest, seconds)
      await expectOnce(paying, 'SUCCESS')
    }
    table.push({
      provider: name,
      scenario: `${sample.length} orders of four events`,
      outcome: 'SUCCESS',
      seconds: slowest,
    })
  })

  it('gets one order when the applicant presses Pay ten times at once, and again (D42)', async () => {
    const paying = await fixture.newPaying(name)
    const before = paying.simulator.payments.size
    await Promise.all(Array.from({ length: 10 }, () => (isCard(paying) ? paying.askForCard() : paying.pay())))
    await paying.pay()
    expect(await paying.stored()).toHaveLength(1)
    expect(paying.simulator.payments.size - before).toBe(1)
    await sendWebhooks(await decide(paying, 'success'))
    await paying.pay()
    expect(await paying.stored()).toHaveLength(1)
    await expectOnce(paying, 'SUCCESS')
  })
})

/** The provider reports a success of another order, amount or currency. */
function wrongSuccess(changes: PaymentFixture['simulators'][SimulatorName]['bend']): Scenario {
  return async paying => {
    await begin(paying)
    paying.simulator.bend = changes
    await sendWebhooks(await decide(paying, 'success'))
    await paying.pass(60)
    return 'IN_PROGRESS'
  }
}

function failingStatus(behaviour: 'garbage' | 'broken'): Scenario {
  return async paying => {
    await begin(paying)
    paying.simulator.behaviour.status = behaviour
    await sendWebhooks(await decide(paying, 'success'))
    await paying.pass(30)
    expect(await paying.status()).toBe('IN_PROGRESS')
    paying.simulator.behaviour.status = 'normal'
    return 'SUCCESS'
  }
}

/** A payer can approve a request that was sent, but cannot pay on a card page that never arrived. */
function failingStart(behaviour: 'garbage' | 'slow'): Scenario {
  return async paying => {
    paying.simulator.behaviour.start = behaviour
    await paying.pay()
    paying.simulator.behaviour.start = 'normal'
    if (isCard(paying)) return 'ERROR'
    await decide(paying, 'success')
    return 'SUCCESS'
  }
}

async function begin(paying: PaymentApplicant): Promise<void> {
  expect(await paying.pay()).toBe(200)
  expect(await paying.status()).toBe('IN_PROGRESS')
}

async function decide(paying: PaymentApplicant, status: 'success' | 'failed') {
  const { order_id: orderId } = await paying.order()
  return paying.simulator.decide(orderId, status)
}

async function undecide(paying: PaymentApplicant): Promise<void> {
  const { order_id: orderId } = await paying.order()
  const payment = paying.simulator.payments.get(orderId)
  if (payment) payment.status = 'pending'
}

async function expectSuccess(other: PaymentApplicant): Promise<void> {
  expect(await other.pass(60, async () => (await other.status()) === 'SUCCESS')).toBeLessThanOrEqual(60)
}

async function sendWebhooks(webhooks: WebhookCall[]): Promise<void> {
  const statuses = await fixture.deliver(webhooks)
  expect(new Set(statuses)).toEqual(new Set([200]))
}

async function expectOnce(paying: PaymentApplicant, status: string): Promise<void> {
  const paid = status === 'SUCCESS' ? 1 : 0
  expect(await paying.facts()).toEqual({
    state: paid ? 'PAYMENT_DONE' : 'DATA_SAVED',
    successes: paid,
    counted: paid,
    refunds: 0,
    messages: paid,
  })
}

function isCard({ name }: PaymentApplicant): boolean {
  return ['CARD', 'CARD_UBA', 'BACM'].includes(payers[name].method)
}

function isSigned({ name }: PaymentApplicant): boolean {
  return name !== 'mtn' && name !== 'orange'
}

function bendHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      name === 'x-token' || name === 'x-signature'
        ? value.replace(/^./, first => (first === '0' ? '1' : '0'))
        : value,
    ]),
  )
}

function bendMac(body: string): string {
  return body.replace(/mac=./, 'mac=x')
}

function permutationsOf<Item>(items: Item[]): Item[][] {
  if (items.length <= 1) return [items]
  return items.flatMap((item, index) =>
    permutationsOf(items.filter((_, other) => other !== index)).map(rest => [item, ...rest]),
  )
}

function printTable(): string {
  const names = [...new Set(table.map(({ scenario }) => scenario))]
  const cell = (scenario: string, provider: SimulatorName) => {
    const found = table.find(each => each.scenario === scenario && each.provider === provider)
    return found ? `${found.outcome} ${found.seconds}s` : '-'
  }
  const lines = names.map(scenario =>
    [scenario.padEnd(54), ...simulatorNames.map(provider => cell(scenario, provider).padEnd(17))].join(' '),
  )
  const head = [
    'scenario, outcome and simulated seconds until it'.padEnd(54),
    ...simulatorNames.map(name => name.padEnd(17)),
  ]
  return `\n${[head.join(' '), ...lines].join('\n')}\n`
}
