import type { AnswerInput } from '#contract/endpoints.ts'
import { cardFields, cardPagePath, type MethodType } from '#contract/payment.ts'
import { cardGateways } from '#server/config/payment-config.ts'
import { findOwnApplication } from '#server/features/applications/own-application.ts'
import { type Caller, refuse, type Refusal } from '#server/calls/call.ts'
import type { GatewayForm, PaymentProviders } from '#server/integrations/payment-provider.ts'
import type { Services } from '#server/calls/services.ts'
import { askSafely, startAtProvider } from './provider-calls.ts'
import { findCardForm, storeCardForm } from './card-forms.ts'
import { orderOf, type PaymentRow } from './payment-answer.ts'
import { recordOutcome } from './record-outcome.ts'
import { orderAndStart, refuseWith } from './start-payment.ts'

type CardAnswer = AnswerInput<'startCardPayment'>
type CardStartRequest = { caller: Caller; applicationId: string; method: MethodType }

/**
 * Pay by card: the order first, then the gateway's form, for the portal and for the server's own narrow page. Until
 * the payer has sent the form, Pay hands out the same one again.
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
  const { payment, isNew } = outcome
  const again = !isNew && payment.status === 'IN_PROGRESS' && payment.method === start.method
  const form = again ? await repeatForm(services, providers, payment) : outcome.form
  if (form && isGatewayForm(services, form)) return answerOf(services, payment, form)
  if (!isNew) return refuseWith(application, 'payment-open', { paymentId: payment.id })
  // Without a form nobody can pay: the order need block nothing.
  await recordOutcome(services.db, payment, { status: 'ERROR', reason: 'no-form' })
  return refuseWith(application, 'unavailable')
}

/** Whatever a gateway answers: its form goes to a gateway that is configured, or nowhere. */
function isGatewayForm({ config, logger }: Services, { url }: GatewayForm): boolean {
  const { origin } = new URL(url)
  if (cardGateways(config.payments).includes(origin)) return true
  logger.error({ origin }, 'A card form that leads to no configured gateway')
  return false
}

/** The form as it was; one that is gone is made anew only while its gateway knows nothing of the order. */
async function repeatForm(
  services: Services,
  providers: PaymentProviders,
  payment: PaymentRow,
): Promise<GatewayForm | undefined> {
  const provider = providers[payment.method]
  if (!provider) return undefined
  const ask = () => provider.status(orderOf(services.config, payment))
  const { kind } = await askSafely(services, payment, ask)
  if (kind !== 'missing') return undefined
  const storedForm = await findCardForm(services.db, payment.id)
  if (storedForm) return storedForm
  const starting = { provider, payment, language: 'fr', payer: undefined, isRepeat: true } as const
  const started = await startAtProvider(services, starting)
  return started.kind === 'payment' ? started.form : undefined
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

/** PAY21. */
function cardForm({ url, fields }: GatewayForm): Exclude<CardAnswer['data'], string> {
  const values: Record<string, string> = Object.fromEntries(fields.map(({ name, value }) => [name, value]))
  const entries = cardFields.map(name => [name, name === 'payment_url' ? url : (values[name] ?? '')])
  // Every name of the list is there.
  return Object.fromEntries(entries) as Exclude<CardAnswer['data'], string>
}
