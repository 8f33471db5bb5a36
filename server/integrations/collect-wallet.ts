import * as z from 'zod/mini'
import { parseJson } from '#contract/parse-json.ts'
import type { FailureReason } from '#contract/payment-failure.ts'
import { requestGateway, type GatewayResponse } from './gateway-request.ts'
import { isMissingOrder } from './missing-order.ts'
import { failureByNumber } from './failure-numbers.ts'
import { isForgedWebhook } from './webhook-signature.ts'
import type {
  CodeOutcome,
  WebhookRequest,
  WebhookReading,
  PaymentProvider,
  ProviderStatus,
  StartOutcome,
} from './payment-provider.ts'

export type CollectSettings = {
  url: string
  key: string
  /** The key of the webhook signatures; '' when none was agreed: then the server accepts unsigned webhooks. */
  secret: string
  returnTo: string
  timeoutMs: number
}

/** The aggregator's service numbers, by the wallet names that the payer sees. */
const services: Record<string, string> = {
  'MTN-Money': '1',
  'Orange-Money': '2',
  'Express-Union': '3',
  'Yoomee-Money': '4',
}

const OrderResponse = z.object({
  success: z.boolean(),
  status: z.string(),
  code: z.optional(z.coerce.number()),
  message: z.optional(z.string()),
  data: z.optional(
    z.object({
      reference: z.string(),
      external_reference: z.string(),
      amount: z.coerce.number(),
      currency: z.string(),
    }),
  ),
})
const NotFoundResponse = z.extend(OrderResponse, { success: z.literal(false) })
/** The aggregator has sent the payer a code and takes the money only with it. */
const waitsForCode = 663
/** The payer's code is wrong, and another may follow. */
const codeWrong = 604
/** The order has expired: no code can pay it any more. */
const orderExpired = 625
const failures: Record<string, FailureReason> = {
  FAILURE: 'unknown',
  FAILED: 'unknown',
  CANCELED: 'refused-on-phone',
  CANCELLED: 'refused-on-phone',
  EXPIRED: 'expired',
  REFUND: 'unknown',
}

/** The header `operation`, as the documentation of the aggregator asks: a payment is collected. */
const operation = '2'

/**
 * An aggregator that gets the payer's name and number in one request, and with them the code that some wallets give the
 * payer before the order. A code that the payer gets only after the order goes through `confirmCode`. Each code is sent in a
 * header and never stored.
 */
export function createCollectWallet({ url, key, returnTo, timeoutMs }: CollectSettings): PaymentProvider {
  return {
    wallets: Object.keys(services),
    async start({ orderId, amount, currency, phone, channel }, payer) {
      const service = services[channel]
      if (service === undefined) return { kind: 'refused', problem: 'order-not-created' }
      const answer = await requestGateway(`${url}/api/agent/bills/v3`, {
        headers: {
          'x-api-key': key,
          operation,
          service,
          'content-type': 'application/json',
          ...(payer?.code ? { otp: payer.code } : {}),
        },
        body: JSON.stringify({
          wallet: phone,
          amount,
          currency,
          order_id: orderId,
          description: orderId,
          payer: payer?.name ?? '',
          payerEmail: '',
          successUrl: returnTo,
          failureUrl: returnTo,
        }),
        timeoutMs,
      })
      return startOf(answer)
    },
    async confirmCode({ orderId }, code) {
      const answer = await requestGateway(`${url}/api/agent/bills/v3/confirm`, {
        headers: { 'x-api-key': key, operation, 'content-type': 'application/json', otp: code },
        body: JSON.stringify({ order_id: orderId }),
        timeoutMs,
      })
      return codeOutcomeOf(answer)
    },
    async queryStatus({ orderId }) {
      const answer = await requestGateway(
        `${url}/api/agent/verif-pay?${new URLSearchParams({ orderId }).toString()}`,
        { method: 'GET', headers: { 'x-api-key': key, operation }, timeoutMs },
      )
      return statusOf(answer)
    },
  }
}

export function readCollectWebhook(secret: string): (webhook: WebhookRequest) => WebhookReading {
  return webhook => {
    const fields = z.safeParse(z.object({ external_reference: z.string() }), parseJson(webhook.body)).data
    if (!fields) return { kind: 'no-payment' }
    if (isForgedWebhook(webhook, { algorithm: 'sha256', secret })) return { kind: 'forged' }
    return { kind: 'payment', orderId: fields.external_reference }
  }
}

function startOf(answer: GatewayResponse): StartOutcome {
  if (answer.kind === 'unanswered') return { kind: 'unknown', reason: answer.reason }
  const response = OrderResponse.safeParse(answer.body).data
  if (!response || answer.status >= 500) return { kind: 'unknown' }
  if (!response.success)
    return { kind: 'refused', problem: problemOf(response.code), failure: failureOf(response.code) }
  return response.data
    ? { kind: 'accepted', reference: response.data.reference, needsPayerCode: response.code === waitsForCode }
    : { kind: 'unknown' }
}

/**
 * A refusal that names neither a wrong code nor an expired order says nothing about the money, so it counts as unknown.
 */
function codeOutcomeOf(answer: GatewayResponse): CodeOutcome {
  if (answer.kind === 'unanswered') return { kind: 'unknown', reason: answer.reason }
  const response = OrderResponse.safeParse(answer.body).data
  if (response?.success) return { kind: 'accepted' }
  if (response?.code === codeWrong) return { kind: 'refused', problem: 'payment-code-wrong' }
  return response?.code === orderExpired
    ? { kind: 'refused', problem: 'payment-code-expired' }
    : { kind: 'unknown' }
}

function problemOf(code: number | undefined) {
  if (code === 17) return 'payer-name-invalid' as const
  return code === codeWrong ? ('payment-code-wrong' as const) : ('order-not-created' as const)
}

/** A wallet's order that was `canceled` is `refused-on-phone`, because the payer cancels it on the phone. */
function failureOf(code: number | undefined): FailureReason {
  const failure = failureByNumber[code ?? 0] ?? 'unknown'
  return failure === 'canceled' ? 'refused-on-phone' : failure
}

function statusOf(answer: GatewayResponse): ProviderStatus {
  if (answer.kind === 'unanswered') return { kind: 'unknown', reason: answer.reason }
  if (isMissingOrder(answer, NotFoundResponse)) return { kind: 'missing' }
  const response = OrderResponse.safeParse(answer.body).data
  if (answer.status !== 200 || !response?.data) return { kind: 'unknown' }
  const { reference: operatorReference, external_reference: orderId, amount, currency } = response.data
  const failure = failures[response.status]
  if (failure !== undefined) {
    const reason = response.message ?? response.status
    return { kind: 'failed', reason, failure: failure === 'unknown' ? failureOf(response.code) : failure }
  }
  if (response.status !== 'SUCCESS')
    return { kind: 'pending', needsPayerCode: response.code === waitsForCode }
  return { kind: 'success', orderId, amount, currency, operatorReference }
}
