import { createHmac } from 'node:crypto'
import * as z from 'zod/mini'
import type { FailureReason } from '#contract/payment-failure.ts'
import { requestGateway, type GatewayResponse } from './gateway-request.ts'
import { isMissingOrder } from './missing-order.ts'
import type { WebhookRequest, WebhookReading, PaymentProvider, ProviderStatus } from './payment-provider.ts'
import { readGatewayPage } from './read-gateway-page.ts'
import { isEqualConstantTime } from '#server/crypto/constant-time-equal.ts'

export type CardBankSettings = {
  /** The bank's name as the payer reads it. */
  name: string
  url: string
  merchant: string
  secret: string
  webhookUrl: string
  timeoutMs: number
}

const OrderResponse = z.object({ status: z.literal('Success'), data: z.string() })
const RefusalResponse = z.object({ status: z.literal('Error'), message: z.optional(z.string()) })
const StatusResponse = z.object({
  merchantId: z.string(),
  orderId: z.string(),
  amount: z.coerce.number(),
  currency: z.string(),
  status: z.string(),
  rrn: z._default(z.string(), ''),
})
const SignedFields = z.record(z.string(), z.union([z.string(), z.number()]))
const failures: Record<string, FailureReason> = {
  DECLINED: 'card-declined',
  CANCELLED: 'canceled',
  EXPIRED: 'expired',
}

/**
 * A bank with a card page of its own. The request `init` returns a page with the form that leads to the card page; the
 * request `inquiry` is the status query. All requests, statuses and webhooks are signed with the merchant's secret; the
 * answer to `init` and the errors are not.
 */
export function createCardBank(settings: CardBankSettings): PaymentProvider {
  const { name, url, merchant, secret, webhookUrl, timeoutMs } = settings
  const post = (path: string, body: Record<string, string>) =>
    requestGateway(`${url}/payment/${path}`, {
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ ...body, mac: signFields(body, secret) }),
      timeoutMs,
    })
  return {
    isCard: true,
    channelOf: () => name,
    async start({ orderId, amount, currency, language, returnTo: returnUrl }) {
      const answer = await post('init', {
        merchantId: merchant,
        orderId,
        amount: String(amount),
        currency,
        language,
        returnUrl,
        callbackUrl: webhookUrl,
      })
      if (answer.kind === 'unanswered') return { kind: 'unknown', reason: answer.reason }
      if (RefusalResponse.safeParse(answer.body).success) return { kind: 'refused', problem: 'unavailable' }
      const html = OrderResponse.safeParse(answer.body).data?.data
      const form = html === undefined ? undefined : readGatewayPage(html)
      return form
        ? { kind: 'accepted', reference: orderId, needsPayerCode: false, form }
        : { kind: 'unknown' }
    },
    async queryStatus({ orderId }) {
      return statusOf(await post('inquiry', { merchantId: merchant, orderId }), settings)
    },
  }
}

export function readBankWebhook(secret: string): (webhook: WebhookRequest) => WebhookReading {
  return ({ body }) => {
    const { mac = '', ...fields } = Object.fromEntries(new URLSearchParams(body))
    if (fields['orderId'] === undefined) return { kind: 'no-payment' }
    return isEqualConstantTime(mac, signFields(fields, secret))
      ? { kind: 'payment', orderId: fields['orderId'] }
      : { kind: 'forged' }
  }
}

/** Returns the hexadecimal HMAC-SHA256 of all `name=value` pairs, sorted by name and joined with `&`. */
export function signFields(fields: Record<string, string | number>, secret: string): string {
  const text = Object.entries(fields)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
  return createHmac('sha256', secret).update(text).digest('hex')
}

/** Whether `mac` signs all other fields as they were sent, also those that the server does not know. */
function isSigned(body: unknown, secret: string): boolean {
  const { mac = '', ...fields } = SignedFields.safeParse(body).data ?? {}
  return isEqualConstantTime(String(mac), signFields(fields, secret))
}

function statusOf(answer: GatewayResponse, { merchant, secret }: CardBankSettings): ProviderStatus {
  if (answer.kind === 'unanswered') return { kind: 'unknown', reason: answer.reason }
  if (isMissingOrder(answer, RefusalResponse)) return { kind: 'missing' }
  const response = answer.status === 200 ? StatusResponse.safeParse(answer.body).data : undefined
  if (!response) return { kind: 'unknown' }
  if (!isSigned(answer.body, secret) || response.merchantId !== merchant) return { kind: 'unknown' }
  const failure = failures[response.status]
  if (failure !== undefined) return { kind: 'failed', reason: response.status, failure }
  // The payer has not sent the form yet. `missing` lets the server return the form again.
  if (response.status === 'INITIATED') return { kind: 'missing' }
  if (response.status !== 'APPROVED') return { kind: 'pending' }
  const { orderId, amount, currency, rrn: operatorReference } = response
  return { kind: 'success', orderId, amount, currency, operatorReference }
}
