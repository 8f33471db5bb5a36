import { applicationHandlers } from './features/applications/application-handlers.ts'
import { appointmentHandlers } from './features/appointments/appointment-handlers.ts'
import { dictionaryHandlers } from './features/dictionary.ts'
import { paymentHandlers } from './features/payments/payment-handlers.ts'
import { receiptHandlers } from './features/receipts.ts'
import { sessionHandlers } from './features/session/session-handlers.ts'
import { watchHandlers } from './features/watch/watch-handlers.ts'
import type { Handlers } from './http/call.ts'
import type { PaymentProviders } from './outside/payment-provider.ts'
import type { Services } from './services.ts'

/** Who answers what; a call of the contract that nobody answers does not compile. */
export function createHandlers(services: Services, providers: PaymentProviders): Handlers {
  return {
    ...sessionHandlers(services),
    ...dictionaryHandlers(services),
    ...applicationHandlers(services),
    ...paymentHandlers(services, providers),
    ...appointmentHandlers(services),
    ...receiptHandlers(services),
    ...watchHandlers(services),
  }
}
