import type { AnswerInput } from '#contract/endpoints.ts'
import { type Caller, refuse, type Refusal } from '#server/calls/call.ts'
import type { PaymentProviders } from '#server/integrations/payment-provider.ts'
import type { Services } from '#server/calls/services.ts'
import { askSafely, refreshPayment } from './provider-calls.ts'
import { findOwnPayment } from './own-payment.ts'
import { orderOf, paymentAnswer } from './payment-answer.ts'
import { refuseForReason } from './start-payment.ts'

type ConfirmRequest = { caller: Caller; id: string; code: string }

/** Sends the payer's code to the provider that asked for it (API32). The server never stores the code. */
export async function confirmPayment(
  services: Services,
  providers: PaymentProviders,
  { caller, id, code }: ConfirmRequest,
): Promise<AnswerInput<'confirmPayment'> | Refusal> {
  const own = await findOwnPayment(services.db, caller, id)
  if (!own) return refuse('not-found')
  const { payment, application } = own
  const provider = providers[payment.method]
  const isCodeAwaited = payment.status === 'IN_PROGRESS' && payment.need_otp
  if (!isCodeAwaited || !provider?.confirmCode) return refuseForReason(application, 'noCodeNeeded')
  const sendCode = provider.confirmCode.bind(provider, orderOf(services.config, payment), code)
  const outcome = await askSafely(services, payment, sendCode)
  if (outcome.kind === 'refused') return refuse(outcome.problem)
  return { data: paymentAnswer(await refreshPayment(services, { provider, payment })) }
}
