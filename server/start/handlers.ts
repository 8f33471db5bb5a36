import { accountHandlers } from '#server/features/account/account-handlers.ts'
import {
  applicationHandlers,
  outdatedApplicationAnswers,
} from '#server/features/applications/application-handlers.ts'
import {
  appointmentHandlers,
  likelyAppointmentRefusals,
  outdatedAppointmentAnswers,
} from '#server/features/appointments/appointment-handlers.ts'
import { deletionHandlers } from '#server/features/deletion/deletion-handlers.ts'
import { dictionaryHandlers } from '#server/features/dictionary/dictionary-handlers.ts'
import { outdatedPaymentAnswers, paymentHandlers } from '#server/features/payments/payment-handlers.ts'
import { createReceiptCodeReader } from '#server/features/receipt/receipt-code.ts'
import type { PaymentWaits } from '#server/features/payments/payment-waits.ts'
import { receiptHandlers } from '#server/features/receipt/receipt-handlers.ts'
import { sessionHandlers } from '#server/features/session/session-handlers.ts'
import { watchHandlers } from '#server/features/watch/watch-handlers.ts'
import type { Handlers, LikelyRefusals, OutdatedAnswers } from '#server/calls/call.ts'
import type { PaymentProviders } from '#server/integrations/payment-provider.ts'
import { createAskerLimit, networksInProcess } from '#server/calls/asker-limit.ts'
import type { Services } from '#server/calls/services.ts'

/**
 * How many files (receipts and proofs together) one applicant may get (D97). `share`: how many files of one applicant
 * do not count for the network. `network`: how many further files all applicants of a network may get together (D120).
 */
const fileRates = {
  applicant: { burst: 20, perMinute: 10 },
  share: { burst: 5, perMinute: 1 },
  network: { burst: 20, perMinute: 10 },
}

/**
 * Returns the handlers of all calls of the contract, functions that name a likely refusal before a handler runs (D118), and
 * functions that find that a stored answer is outdated (D13).
 */
export function createCalls(
  services: Services,
  providers: PaymentProviders,
  waits: PaymentWaits,
): { handlers: Handlers; likelyRefusals: LikelyRefusals; outdatedAnswers: OutdatedAnswers } {
  return {
    handlers: createHandlers(services, providers, waits),
    likelyRefusals: likelyAppointmentRefusals(services),
    outdatedAnswers: {
      ...outdatedApplicationAnswers,
      ...outdatedAppointmentAnswers,
      ...outdatedPaymentAnswers,
    },
  }
}

/** The handlers of all features; a call without a handler does not compile. */
function createHandlers(services: Services, providers: PaymentProviders, waits: PaymentWaits): Handlers {
  const limitFiles = createAskerLimit(services, {
    ...fileRates,
    network: networksInProcess(services.clock, fileRates.network),
  })
  return {
    ...sessionHandlers(services),
    ...accountHandlers(services),
    ...dictionaryHandlers(services),
    ...applicationHandlers(services),
    ...deletionHandlers(),
    ...paymentHandlers(services, providers, { waits, limitFiles }),
    ...appointmentHandlers(services, createReceiptCodeReader(services)),
    ...receiptHandlers(services, limitFiles),
    ...watchHandlers(services),
  }
}
