import { mockPayment } from '#server/outside/mock-payment.ts'
import type { PaymentProviders } from '#server/outside/payment-provider.ts'
import type { Services } from '#server/services.ts'

/** The providers that this server may call: the mock in the demo; real ones are switched on by credentials. */
export function paymentProviders({ config, clock }: Services): PaymentProviders {
  return config.paymentMethods.includes('MOCK') ? { MOCK: mockPayment(clock) } : {}
}
