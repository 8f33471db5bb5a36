import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { simulatorNames } from '#server/integrations/simulators/start-simulators.ts'
import { openPaymentFixture, type PaymentFixture } from './payment-fixture.ts'

let fixture: PaymentFixture
beforeAll(async () => {
  fixture = await openPaymentFixture({ timeoutSeconds: 1 })
})
afterAll(() => fixture.close())

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
})
