import type { AnswerInput } from '#contract/endpoints.ts'
import type { MethodType } from '#contract/payment.ts'
import { type ApplicationRow, findOwn } from '#server/features/applications/own-application.ts'
import { type Caller, refuse, type Refusal } from '#server/http/call.ts'
import type { Payer, PaymentProviders } from '#server/outside/payment-provider.ts'
import type { Services } from '#server/services.ts'
import { type PaymentWord, paymentWords } from '#server/words/payment-words.ts'
import { problemWords } from '#server/words/problem-words.ts'
import { startAtProvider } from './ask-provider.ts'
import { type OpenedOrder, openOrder, takeOverPaid } from './open-order.ts'
import { paymentAnswer } from './payment-answer.ts'

type PaymentAnswer = AnswerInput<'startMobilePayment'>
type Start = {
  caller: Caller
  applicationId: string
  method: MethodType
  phone?: string
  payer?: Payer
  /** What is wrong with the payer's own data. */
  fault?: 'order-not-created' | 'payer-name-invalid' | undefined
}

/** Pay: the stored order first, then its provider. A second Pay gets the order that is open (D42). */
export async function startPayment(
  services: Services,
  providers: PaymentProviders,
  start: Start,
): Promise<PaymentAnswer | Refusal> {
  const { caller, applicationId, method, phone = '' } = start
  const application = await findOwn(services.db, caller, applicationId)
  if (!application) return refuse('not-found')
  if (start.fault) return refuse(start.fault, { message: problemWords[application.language][start.fault] })
  const provider = providers[method]
  if (!provider) return refuseFor(application, 'methodUnavailable')
  const opened = await openOrder(services, { caller, applicationId: application.id, method, phone })
  if (opened.kind !== 'new') return answerOf(application, opened)
  const started = await startAtProvider(services, { provider, payment: opened.payment }, start.payer)
  return started.kind === 'refused'
    ? refuse(started.problem, { message: problemWords[application.language][started.problem] })
    : { data: paymentAnswer(started.payment) }
}

/** PAY31, S11: paid in the old system, decided here and nowhere else. */
export async function startWhitelist(
  services: Services,
  { caller, applicationId }: Pick<Start, 'caller' | 'applicationId'>,
): Promise<PaymentAnswer | Refusal> {
  const application = await findOwn(services.db, caller, applicationId)
  if (!application) return refuse('not-found')
  return answerOf(application, await takeOverPaid(services, { caller, applicationId: application.id }))
}

/** No card provider exists yet; a card page will be answered here. */
export async function startCard(
  services: Services,
  { caller, applicationId }: Pick<Start, 'caller' | 'applicationId'>,
): Promise<Refusal> {
  const application = await findOwn(services.db, caller, applicationId)
  return application ? refuseFor(application, 'methodUnavailable') : refuse('not-found')
}

function answerOf(application: ApplicationRow, opened: OpenedOrder): PaymentAnswer | Refusal {
  if (opened.kind === 'refused') return refuseFor(application, opened.why)
  return { data: paymentAnswer(opened.payment) }
}

const problemOf = {
  methodUnavailable: 'method-unavailable',
  notWhitelisted: 'method-unavailable',
  dataNotConfirmed: 'wrong-state',
  notPayable: 'wrong-state',
  noCodeNeeded: 'wrong-state',
} as const satisfies Record<PaymentWord, string>

/** These calls carry no language: the application's own is spoken. */
export function refuseFor({ language }: ApplicationRow, why: PaymentWord): Refusal {
  return refuse(problemOf[why], { message: paymentWords[language][why] })
}
