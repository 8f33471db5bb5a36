import * as z from 'zod/mini'
import { parseJson } from '#contract/parse-json.ts'
import type { FailureReason } from '#contract/payment-failure.ts'
import { requestGateway, type GatewayResponse } from './gateway-request.ts'
import { isMissingOrder } from './missing-order.ts'
import { createTokenCache } from './token-cache.ts'
import type {
  WebhookRequest,
  WebhookReading,
  PaymentProvider,
  ProviderStatus,
  StartOutcome,
} from './payment-provider.ts'

export type MtnSettings = {
  url: string
  subscriptionKey: string
  user: string
  apiKey: string
  /** `sandbox` or the target of the country, such as `mtncameroon`. */
  target: string
  webhookUrl: string
  timeoutMs: number
}

const StatusResponse = z.object({
  status: z.string(),
  amount: z.coerce.number(),
  currency: z.string(),
  externalId: z.string(),
  financialTransactionId: z.optional(z.coerce.string()),
  reason: z.optional(z.union([z.string(), z.object({ code: z.string() })])),
})
const RefusalResponse = z.object({ code: z.string() })
const NotFoundResponse = z.object({ code: z.literal('RESOURCE_NOT_FOUND') })

/**
 * MTN's codes that say something to the payer. INTERNAL_PROCESSING_ERROR is left out: it often means too little money, but
 * not always.
 */
const failureByCode: Record<string, FailureReason> = {
  NOT_ENOUGH_FUNDS: 'not-enough-money',
  PAYER_LIMIT_REACHED: 'limit-reached',
  APPROVAL_REJECTED: 'refused-on-phone',
  EXPIRED: 'expired',
  // The payer did not approve within five minutes.
  COULD_NOT_PERFORM_TRANSACTION: 'expired',
  PAYER_NOT_FOUND: 'no-account',
  SERVICE_UNAVAILABLE: 'operator-down',
}

/** MTN MoMo Collections: sends a payment request to the payer's phone. The payment's UUID is also MTN's reference. */
export function createMtnMomo(settings: MtnSettings, now: () => Date): PaymentProvider {
  const { url, user, apiKey, subscriptionKey, target, webhookUrl, timeoutMs } = settings
  const withToken = createTokenCache(now, () =>
    requestGateway(`${url}/collection/token/`, {
      headers: {
        authorization: `Basic ${Buffer.from(`${user}:${apiKey}`).toString('base64')}`,
        'ocp-apim-subscription-key': subscriptionKey,
      },
      timeoutMs,
    }),
  )
  const headersOf = (token: string) => ({
    authorization: `Bearer ${token}`,
    'ocp-apim-subscription-key': subscriptionKey,
    'x-target-environment': target,
  })
  return {
    async start({ paymentId, orderId, amount, currency, phone }) {
      const answer = await withToken(token =>
        requestGateway(`${url}/collection/v1_0/requesttopay`, {
          headers: {
            ...headersOf(token),
            'content-type': 'application/json',
            'x-reference-id': paymentId,
            'x-callback-url': webhookUrl,
          },
          body: JSON.stringify({
            amount: String(amount),
            currency,
            externalId: orderId,
            payer: { partyIdType: 'MSISDN', partyId: phone },
            payerMessage: orderId,
            payeeNote: orderId,
          }),
          timeoutMs,
        }),
      )
      return startOf(answer, paymentId)
    },
    async queryStatus({ paymentId }) {
      const answer = await withToken(token =>
        requestGateway(`${url}/collection/v1_0/requesttopay/${paymentId}`, {
          method: 'GET',
          headers: headersOf(token),
          timeoutMs,
        }),
      )
      return statusOf(answer)
    },
  }
}

/** Reads MTN's webhook. MTN does not sign it, so it only starts a status query; MTN sends it once, so it can be lost. */
export function readMtnWebhook({ body }: WebhookRequest): WebhookReading {
  const fields = z.safeParse(z.object({ externalId: z.string() }), parseJson(body)).data
  return fields ? { kind: 'payment', orderId: fields.externalId } : { kind: 'no-payment' }
}

function startOf(answer: GatewayResponse, reference: string): StartOutcome {
  if (answer.kind === 'unanswered') return { kind: 'unknown', reason: answer.reason }
  const { status, body } = answer
  // 409 RESOURCE_ALREADY_EXIST: an earlier try of this payment arrived.
  if (status === 202 || status === 409) return { kind: 'accepted', reference, needsPayerCode: false }
  const refusal = status === 400 ? RefusalResponse.safeParse(body).data : undefined
  return refusal
    ? { kind: 'refused', problem: 'order-not-created', failure: failureByCode[refusal.code] ?? 'unknown' }
    : { kind: 'unknown' }
}

function statusOf(answer: GatewayResponse): ProviderStatus {
  if (answer.kind === 'unanswered') return { kind: 'unknown', reason: answer.reason }
  if (isMissingOrder(answer, NotFoundResponse)) return { kind: 'missing' }
  const response = answer.status === 200 ? StatusResponse.safeParse(answer.body).data : undefined
  if (!response) return { kind: 'unknown' }
  const { status, reason, externalId: orderId, amount, currency, financialTransactionId } = response
  if (status === 'FAILED') {
    const code = typeof reason === 'object' ? reason.code : (reason ?? 'FAILED')
    return { kind: 'failed', reason: code, failure: failureByCode[code] ?? 'unknown' }
  }
  if (status !== 'SUCCESSFUL') return { kind: status === 'PENDING' ? 'pending' : 'unknown' }
  return { kind: 'success', orderId, amount, currency, operatorReference: financialTransactionId ?? '' }
}
