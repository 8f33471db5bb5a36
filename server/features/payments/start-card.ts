import type { Kysely } from 'kysely'
import { type AnswerInput, endpoints } from '#contract/endpoints.ts'
import { type CancelRefusal, cardFields, cardPagePath, type MethodType } from '#contract/payment.ts'
import { cardGateways } from '#server/config/payment-config.ts'
import type { Schema } from '#server/database/schema.ts'
import { type ApplicationRow, findOwnApplication } from '#server/features/applications/own-application.ts'
import { type Caller, refuse, type Refusal } from '#server/calls/call.ts'
import type { GatewayForm, PaymentProviders } from '#server/integrations/payment-provider.ts'
import type { Services } from '#server/calls/services.ts'
import { waitOf } from './cancel-payment.ts'
import { obstacleAtProvider } from './cancel-rule.ts'
import { requestSafely, startAtProvider } from './provider-calls.ts'
import { findCardForm, storeCardForm } from './card-forms.ts'
import { isPayable } from './payable-orders.ts'
import { orderOf, type PaymentRow } from './payment-answer.ts'
import { recordOutcome } from './record-outcome.ts'
import { orderAndStart, refuseWith } from './start-payment.ts'

type CardAnswer = AnswerInput<'startCardPayment'>
type CardStartRequest = { caller: Caller; applicationId: string; method: MethodType }

/**
 * Starts a card payment: stores the order, then gets the gateway's form for the portal and for the server's own card
 * page. Until the payer has sent the form, Pay returns the form again (`repeatForm`).
 */
export async function startCard(
  services: Services,
  providers: PaymentProviders,
  start: CardStartRequest,
): Promise<CardAnswer | Refusal> {
  const application = await findOwnApplication(services.db, start.caller, start.applicationId)
  if (!application) return refuse('not-found')
  const outcome = await orderAndStart(services, providers, { ...start, application })
  if ('refused' in outcome) return outcome
  const { payment, isNew, sentAt } = outcome
  const isRepeat = !isNew && payment.status === 'IN_PROGRESS' && payment.method === start.method
  const repeated = isRepeat ? await repeatForm(services, providers, { payment, application }) : {}
  const form = repeated.form ?? outcome.form
  // While the gateway was asked, the order may have ended, and another one may be open or paid: the payer must not pay both.
  if (form && isGatewayForm(services, form) && (await isPayable(services.db, payment.id)))
    return answerOf(services, payment, form)
  if (!isNew) return refuseWith(application, 'payment-open', { paymentId: payment.id, ...repeated.wait })
  // Without a form the payer cannot pay, so the order ends and does not block other methods. But it stays open when another
  // request has sent it since (`ifSentAt`): that request may have got a form.
  await recordOutcome(services.db, payment, { status: 'ERROR', reason: 'no-form', ifSentAt: sentAt })
  return refuseWith(application, 'unavailable')
}

/**
 * Returns whether a stored answer has the form of an order that the payer may not pay any more: with it the payer could pay
 * twice. A second run of the call opens no second order beside an open or a paid one.
 */
export async function isCardAnswerOutdated(
  { db }: { db: Kysely<Schema> },
  storedAnswer: Record<string, unknown>,
): Promise<boolean> {
  const { paymentId } = endpoints.startCardPayment.answer.safeParse(storedAnswer).data ?? {}
  return paymentId !== undefined && !(await isPayable(db, paymentId))
}

/** Whether a form leads to a configured gateway. The payer's browser gets no form that leads elsewhere. */
function isGatewayForm({ config, logger }: Services, { url }: GatewayForm): boolean {
  const { origin } = new URL(url)
  if (cardGateways(config.payments).includes(origin)) return true
  logger.error(
    { origin },
    'The card form of a gateway leads to an origin that is not configured. The payer does not get the form. Ask the gateway for the address of its card page, then set CINETPAY_PAGE_URL, UBA_PAGE_URL or BACM_PAGE_URL.',
  )
  return false
}

/**
 * Returns the stored form, or requests a form again when the stored one has expired or is lost. Returns no form when
 * the payer has sent the form, because no gateway promises to open the page of an order twice, or when the gateway
 * gives no answer. `wait`: why the payer must wait; undefined when the gateway reports that the order has ended.
 */
async function repeatForm(
  services: Services,
  providers: PaymentProviders,
  { payment, application }: { payment: PaymentRow; application: ApplicationRow },
): Promise<{ form?: GatewayForm | undefined; wait?: CancelRefusal }> {
  const provider = providers[payment.method]
  if (!provider) return {}
  const queryStatus = () => provider.queryStatus(orderOf(services, payment))
  const { kind } = await requestSafely(services, payment, queryStatus)
  if (kind === 'pending' || kind === 'unknown')
    return { wait: waitOf(services, payment, obstacleAtProvider(kind)) }
  if (kind !== 'missing') return {}
  const storedForm = await findCardForm(services.db, payment.id)
  if (storedForm) return { form: storedForm }
  const { language } = application
  const starting = { provider, payment, language, payer: undefined, isRepeat: true }
  const started = await startAtProvider(services, starting)
  return started.kind === 'payment' ? { form: started.form } : {}
}

async function answerOf(services: Services, payment: PaymentRow, form: GatewayForm): Promise<CardAnswer> {
  const ticket = await storeCardForm(services.db, payment.id, form)
  return {
    status: 'Success',
    data: form.html ?? cardForm(form),
    paymentId: payment.id,
    page: `${cardPagePath}/${ticket}`,
  }
}

/** Returns the form with every field of PAY21; a field that the gateway did not send is empty. */
function cardForm({ url, fields }: GatewayForm): Exclude<CardAnswer['data'], string> {
  const values: Record<string, string> = Object.fromEntries(fields.map(({ name, value }) => [name, value]))
  const entries = cardFields.map(name => [name, name === 'payment_url' ? url : (values[name] ?? '')])
  // The entries hold every name of `cardFields`.
  return Object.fromEntries(entries) as Exclude<CardAnswer['data'], string>
}
