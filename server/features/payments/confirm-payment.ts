import type { AnswerInput } from '#contract/endpoints.ts'
import { type Caller, refuse, type Refusal } from '#server/http/call.ts'
import type { PaymentProviders } from '#server/outside/payment-provider.ts'
import type { Services } from '#server/services.ts'
import { askSafely, refreshPayment } from './ask-provider.ts'
import { findOwnPayment } from './own-payment.ts'
import { orderOf, paymentAnswer } from './payment-answer.ts'
import { refuseFor } from './start-payment.ts'

type Confirming = { caller: Caller; id: string; code: string }

/** Hands the payer's code to the provider that asked for it (API32); the code itself is never kept. */
export async function confirmPayment(
  services: Services,
  providers: PaymentProviders,
  { caller, id, code }: Confirming,
): Promise<AnswerInput<'confirmPayment'> | Refusal> {
  const own = await findOwnPayment(services.db, caller, id)
  if (!own) return refuse('not-found')
  const { payment, application } = own
  const provider = providers[payment.method]
  const awaited = payment.status === 'IN_PROGRESS' && payment.need_otp
  if (!awaited || !provider?.confirmCode) return refuseFor(application, 'noCodeNeeded')
  const hand = provider.confirmCode.bind(provider, orderOf(services.config, payment), code)
  const outcome = await askSafely(services, payment, hand)
  if (outcome.kind === 'refused') return refuse(outcome.problem)
  return { data: paymentAnswer(await refreshPayment(services, { provider, payment })) }
}
