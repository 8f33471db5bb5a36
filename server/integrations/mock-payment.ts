import type { Clock } from '#server/calls/services.ts'
import type { PaymentProvider } from './payment-provider.ts'

/** The payment stays open for this time, so that a viewer of the demo sees the waiting page. */
const succeedsAfterMs = 300

/**
 * The demo's provider: accepts every order and reports success after 300 ms. It stores nothing; the reference contains
 * the start time.
 */
export function mockPayment(clock: Clock): PaymentProvider {
  return {
    hasNoOperator: true,
    start: async () => ({
      kind: 'accepted',
      reference: `mock-${clock.now().getTime()}`,
      needsPayerCode: false,
    }),
    async queryStatus({ reference, orderId, amount, currency }) {
      const startedAt = Number(reference?.replace('mock-', '') ?? 0)
      if (clock.now().getTime() - startedAt < succeedsAfterMs) return { kind: 'pending' }
      return { kind: 'success', orderId, amount, currency }
    },
  }
}
