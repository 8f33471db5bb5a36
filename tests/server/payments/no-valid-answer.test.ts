import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gatewayRequests } from '#server/calls/event-counts.ts'
import { simulatorNames } from '#server/integrations/simulators/start-simulators.ts'
import { openPaymentFixture, type PaymentFixture } from './payment-fixture.ts'

let fixture: PaymentFixture
beforeAll(async () => {
  fixture = await openPaymentFixture({ timeoutSeconds: 1 })
})
afterAll(() => fixture.close())

async function countFailures(gateway: string): Promise<number> {
  const { values } = await gatewayRequests.get()
  return values.find(({ labels }) => labels.gateway === gateway && labels.outcome === 'failed')?.value ?? 0
}

describe('a payment provider that gives no valid answer', () => {
  it.each(simulatorNames)(
    'is logged with the payment and the reason, and the payment stays open: %s',
    async name => {
      const { warnings } = fixture.server
      const payer = await fixture.newPaymentApplicant(name)
      expect(await payer.pay()).toBe(200)
      const { id, method, channel } = await payer.order()
      for (const [behaviour, reason] of [
        ['slow', 'TimeoutError'],
        ['garbage', 'no valid answer'],
      ] as const) {
        warnings.length = 0
        payer.simulator.behaviour.status = behaviour
        // A poll causes a status query only when the last one is more than 2 s old.
        await payer.makeOlderBySeconds(60)
        expect(await payer.poll()).toBe('IN_PROGRESS')
        expect(warnings).toEqual([
          {
            level: 'warn',
            fields: { paymentId: id, method, channel, reason },
            message: expect.stringContaining('gave no valid answer'),
          },
        ])
        expect(JSON.stringify(warnings)).not.toContain(payer.phone)
      }
    },
  )

  it('is logged and counted when Smobilpay gives no quote, and the order then ends as failed (D42)', async () => {
    const { warnings } = fixture.server
    const payer = await fixture.newPaymentApplicant('smobilpay')
    const before = await countFailures('MTN-Money')
    warnings.length = 0
    Object.assign(payer.simulator.behaviour, { start: 'broken', status: 'broken' })
    expect(await payer.pay()).toBe(503)
    Object.assign(payer.simulator.behaviour, { start: 'normal', status: 'normal' })
    const { id, method, channel, status } = await payer.order()
    expect(status).toBe('ERROR')
    expect(warnings).toEqual([
      {
        level: 'warn',
        fields: { paymentId: id, method, channel, reason: 'no quote, status 500' },
        message: expect.stringContaining('gave no valid answer'),
      },
    ])
    expect((await countFailures('MTN-Money')) - before).toBe(1)
  })
})
