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

export type OrangeMoneySettings = {
  url: string
  key: string
  secret: string
  /** Sent in the header X-AUTH-TOKEN. */
  authToken: string
  /** The number of the account that receives the money; Orange calls it the channel user. */
  merchantPhone: string
  /** The PIN of this account. */
  pin: string
  webhookUrl: string
  timeoutMs: number
}

/** The body of the response to `prepare` and to `start`. */
const TokenResponse = z.object({ data: z.object({ payToken: z.string() }) })
const StatusResponse = z.object({
  data: z.object({
    status: z.string(),
    payToken: z.string(),
    amount: z.coerce.number(),
    /** The merchant's order number. */
    txnmode: z.string(),
    txnid: z.nullish(z.string()),
    inittxnmessage: z.nullish(z.string()),
  }),
})
/** The body of a 404 about an unknown token. The 404 of a proxy or of Orange's API gateway has no empty `data` (D42). */
const NotFoundResponse = z.object({ message: z.string(), data: z.null() })

/** Orange Money Cameroon accepts no other currency. */
const onlyCurrency = 'XAF'
const failures: Record<string, FailureReason> = {
  FAILED: 'unknown',
  CANCELLED: 'refused-on-phone',
  EXPIRED: 'expired',
}
/** Orange has no code for this reason, only a sentence in French or English. */
const tooLittleMoney = /solde.*insuffisant|insufficient.*(?:balance|funds)/i

/**
 * Orange Money's merchant payment. `prepare` opens the payment and gets its `payToken`, which the server stores as the
 * reference; `start` sends the payment request to the payer's phone.
 */
export function createOrangeMoney(settings: OrangeMoneySettings, now: () => Date): PaymentProvider {
  const { url, key, secret, authToken, merchantPhone, pin, webhookUrl, timeoutMs } = settings
  const withToken = createTokenCache(now, () =>
    requestGateway(`${url}/token`, {
      headers: {
        authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
      timeoutMs,
    }),
  )
  const send = (method: 'GET' | 'POST', path: string, body?: object) =>
    withToken(token =>
      requestGateway(`${url}/omcoreapis/1.0.2/mp/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          'x-auth-token': authToken,
          'content-type': 'application/json',
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
        timeoutMs,
      }),
    )
  return {
    async prepare() {
      const answer = await send('POST', 'init')
      if (answer.kind === 'unanswered') return { kind: 'unknown', reason: answer.reason }
      const response = answer.status === 200 ? TokenResponse.safeParse(answer.body).data : undefined
      return response ? { kind: 'prepared', reference: response.data.payToken } : { kind: 'unknown' }
    },
    async start({ orderId, amount, currency, phone, reference }) {
      if (currency !== onlyCurrency) return { kind: 'refused', problem: 'order-not-created' }
      if (reference === undefined) return { kind: 'unknown' } // cannot happen: `prepare` has stored it
      const answer = await send('POST', 'pay', {
        notifUrl: webhookUrl,
        channelUserMsisdn: merchantPhone,
        amount: String(amount),
        subscriberMsisdn: phone.replace(/^237/, ''),
        pin,
        orderId,
        description: orderId,
        payToken: reference,
      })
      return startOf(answer, reference)
    },
    async queryStatus({ reference }) {
      if (reference === undefined) return { kind: 'missing' }
      return statusOf(await send('GET', `paymentstatus/${encodeURIComponent(reference)}`), reference)
    },
  }
}

/** Reads Orange's webhook. Orange does not sign it, so it only starts a status query. */
export function readOrangeWebhook({ body }: WebhookRequest): WebhookReading {
  const fields = z.safeParse(z.object({ payToken: z.string() }), parseJson(body)).data
  return fields ? { kind: 'payment', reference: fields.payToken } : { kind: 'no-payment' }
}

function startOf(answer: GatewayResponse, reference: string): StartOutcome {
  if (answer.kind === 'unanswered') return { kind: 'unknown', reason: answer.reason }
  const { status, body } = answer
  if (status === 200 && TokenResponse.safeParse(body).data?.data.payToken === reference)
    return { kind: 'accepted', reference, needsPayerCode: false }
  // 417: for example, the payer has no account.
  const refused = (status === 400 || status === 417) && typeof body === 'object' && body !== null
  return refused ? { kind: 'refused', problem: 'order-not-created' } : { kind: 'unknown' }
}

function statusOf(answer: GatewayResponse, reference: string): ProviderStatus {
  if (answer.kind === 'unanswered') return { kind: 'unknown', reason: answer.reason }
  // Opened and never started: Orange knows the token but no transaction for it.
  if (isMissingOrder(answer, NotFoundResponse)) return { kind: 'missing' }
  const response = answer.status === 200 ? StatusResponse.safeParse(answer.body).data : undefined
  if (!response || response.data.payToken !== reference) return { kind: 'unknown' }
  const { status, amount, txnmode, txnid, inittxnmessage } = response.data
  const failure = failures[status]
  if (failure !== undefined) {
    const reason = inittxnmessage ?? status
    return { kind: 'failed', reason, failure: tooLittleMoney.test(reason) ? 'not-enough-money' : failure }
  }
  // Orange spells this status with two L.
  if (status !== 'SUCCESSFULL') return { kind: status === 'PENDING' ? 'pending' : 'unknown' }
  const operatorReference = txnid ?? ''
  return { kind: 'success', orderId: txnmode, amount, currency: onlyCurrency, operatorReference }
}
