import * as z from 'zod/mini'
import { requestGateway, type GatewayResponse } from './gateway-request.ts'
import { isForgedWebhook } from './webhook-signature.ts'
import type {
  WebhookRequest,
  WebhookReading,
  PaymentProvider,
  ProviderStatus,
  StartOutcome,
} from './payment-provider.ts'
import { readJson } from './read-json.ts'

export type CollectSettings = {
  url: string
  key: string
  /** Signs call-backs; '' where none was agreed on. */
  secret: string
  returnTo: string
  timeoutMs: number
}

/** The wallets by the names that the payer chooses from, and their numbers there. */
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
const failures = ['FAILURE', 'FAILED', 'CANCELED', 'CANCELLED', 'EXPIRED', 'REFUND']

/**
 * The aggregators that take a name, a number and a code in one call: the payer's code goes along in a header and is
 * kept nowhere.
 */
export function createCollectWallet({ url, key, returnTo, timeoutMs }: CollectSettings): PaymentProvider {
  return {
    wallets: Object.keys(services),
    channelOf: (_phone, payer) => payer?.paymentMethod ?? '',
    async start({ orderId, amount, currency, phone, channel }, payer) {
      const service = services[channel]
      if (service === undefined) return { kind: 'refused', problem: 'order-not-created' }
      const answer = await requestGateway(`${url}/api/agent/bills/v3`, {
        headers: {
          'x-api-key': key,
          operation: '2',
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
    async status({ orderId }) {
      const answer = await requestGateway(
        `${url}/api/agent/verif-pay?${new URLSearchParams({ orderId }).toString()}`,
        { method: 'GET', headers: { 'x-api-key': key, operation: '2' }, timeoutMs },
      )
      return statusOf(answer)
    },
  }
}

export function readCollectWebhook(secret: string): (callBack: WebhookRequest) => WebhookReading {
  return callBack => {
    const read = z.safeParse(z.object({ external_reference: z.string() }), readJson(callBack.body)).data
    if (!read) return { kind: 'nothing' }
    if (isForgedWebhook(callBack, { algorithm: 'sha256', secret })) return { kind: 'forged' }
    return { kind: 'about', orderId: read.external_reference }
  }
}

function startOf(answer: GatewayResponse): StartOutcome {
  const read = answer.kind === 'answered' ? OrderResponse.safeParse(answer.body).data : undefined
  if (!read || answer.kind === 'unanswered' || answer.status >= 500) return { kind: 'unknown' }
  if (!read.success) return { kind: 'refused', problem: problemOf(read.code) }
  return read.data
    ? { kind: 'accepted', reference: read.data.reference, needCode: false }
    : { kind: 'unknown' }
}

function problemOf(code: number | undefined) {
  if (code === 17) return 'payer-name-invalid' as const
  return code === 604 ? ('payment-code-wrong' as const) : ('order-not-created' as const)
}

function statusOf(answer: GatewayResponse): ProviderStatus {
  if (answer.kind === 'unanswered') return { kind: 'unknown' }
  if (answer.status === 404) return { kind: 'missing' }
  const read = answer.status === 200 ? OrderResponse.safeParse(answer.body).data : undefined
  if (!read?.data) return { kind: 'unknown' }
  const { reference: operatorReference, external_reference: orderId, amount, currency } = read.data
  if (failures.includes(read.status)) return { kind: 'failed', reason: read.message ?? read.status }
  if (read.status !== 'SUCCESS') return { kind: 'pending' }
  return { kind: 'success', orderId, amount, currency, operatorReference }
}
