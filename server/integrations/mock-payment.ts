import type { Clock } from '#server/calls/services.ts'
import type { PaymentProvider } from './payment-provider.ts'

/** Until then a payment is under way, so that the page that waits for it is seen. */
const succeedsAfterMs = 300

/**
 * The demo's provider: takes every order and pays it a moment later. It remembers nothing; the moment it was asked
 * stands in the reference.
 */
export function mockPayment(clock: Clock): PaymentProvider {
  return {
    isImmediate: true,
    start: async () => ({ kind: 'accepted', reference: `mock-${clock.now().getTime()}`, needCode: false }),
    async status({ reference, orderId, amount, currency }) {
      const startedAt = Number(reference?.replace('mock-', '') ?? 0)
      if (clock.now().getTime() - startedAt < succeedsAfterMs) return { kind: 'pending' }
      return { kind: 'success', orderId, amount, currency }
    },
  }
}
