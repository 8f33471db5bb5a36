import { createHmac, randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import { parseJson } from '#contract/parse-json.ts'
import { requestGateway, type GatewayResponse } from './gateway-request.ts'
import { isMissingOrder } from './missing-order.ts'
import { isForgedWebhook } from './webhook-signature.ts'
import type {
  WebhookRequest,
  WebhookReading,
  Payer,
  PaymentOrder,
  PaymentProvider,
  ProviderStatus,
  StartOutcome,
} from './payment-provider.ts'

export type SmobilpaySettings = {
  url: string
  token: string
  secret: string
  /** The key of the webhook signatures; '' when none was agreed: then the server accepts unsigned webhooks. */
  webhookSecret: string
  webhookUrl: string
  timeoutMs: number
}

/** Smobilpay's operator names, by the wallet names that the payer sees. */
const operators: Record<string, string> = {
  'MTN-Money': 'MTN',
  'Orange-Money': 'ORANGE',
  'Express-Union': 'EXPRESSUNION',
}

const ItemsResponse = z.array(
  z.object({ payItemId: z.string(), merchant: z.string(), amountType: z.string(), localCur: z.string() }),
)
const QuoteResponse = z.object({ quoteId: z.string() })
const CollectResponse = z.object({ ptn: z.string(), status: z.string(), trid: z.nullish(z.string()) })
const StatusResponse = z.array(
  z.object({
    ptn: z.string(),
    status: z.string(),
    trid: z.nullish(z.string()),
    priceLocalCur: z.coerce.number(),
    localCur: z.string(),
    errorCode: z.nullish(z.coerce.string()),
  }),
)
const FaultResponse = z.object({ respCode: z.coerce.number(), usrMsg: z.optional(z.string()) })

/** Smobilpay's error code for an invalid payer name. */
const nameFaultCode = 40_602
const failures = ['ERRORED', 'ERROREDREFUNDED', 'REVERSED']

/**
 * Smobilpay S3P: finds the wallet's item, requests a quote, collects. The portal's order number is Smobilpay's `trid`,
 * which Smobilpay does not require to be unique.
 */
export function createSmobilpay(settings: SmobilpaySettings, now: () => Date): PaymentProvider {
  const send = (request: SmobilpayRequest) => requestSigned(settings, now(), request)

  /** Returns the id of the quote, or a refusal: without a quote no money can have been collected. */
  async function quote(order: PaymentOrder): Promise<string | StartOutcome> {
    const items = await send({ method: 'GET', path: 'cashout', query: {}, body: {} })
    const known = items.kind === 'answered' ? ItemsResponse.safeParse(items.body).data : undefined
    if (!known) return { ...withoutQuote, noAnswer: reasonOf(items) }
    const item = known.find(
      each =>
        each.merchant === operators[order.channel] &&
        each.amountType === 'CUSTOM' &&
        each.localCur === order.currency,
    )
    if (!item) return withoutQuote
    const body = { amount: order.amount, payItemId: item.payItemId }
    const quoted = await send({ method: 'POST', path: 'quotestd', query: {}, body })
    const response = quoted.kind === 'answered' ? QuoteResponse.safeParse(quoted.body).data : undefined
    if (response) return response.quoteId
    return faultOf(quoted) ? withoutQuote : { ...withoutQuote, noAnswer: reasonOf(quoted) }
  }

  return {
    wallets: Object.keys(operators),
    async start(order, payer) {
      const quoteId = await quote(order)
      if (typeof quoteId !== 'string') return quoteId
      const body = collectBody({ order, payer, quoteId, webhookUrl: settings.webhookUrl })
      return startOf(await send({ method: 'POST', path: 'collectstd', query: {}, body }))
    },
    async queryStatus({ orderId }) {
      return statusOf(await send({ method: 'GET', path: 'verifytx', query: { trid: orderId }, body: {} }))
    },
  }
}

export function readSmobilpayWebhook(secret: string): (webhook: WebhookRequest) => WebhookReading {
  return webhook => {
    const fields = z.safeParse(z.object({ trid: z.string() }), parseJson(webhook.body)).data
    if (!fields) return { kind: 'no-payment' }
    if (isForgedWebhook(webhook, { algorithm: 'sha1', secret })) return { kind: 'forged' }
    return { kind: 'payment', orderId: fields.trid }
  }
}

type SmobilpayRequest = {
  method: 'GET' | 'POST'
  path: string
  query: Record<string, string>
  body: Record<string, string | number>
}

function requestSigned(
  { url, token, secret, timeoutMs }: SmobilpaySettings,
  now: Date,
  { method, path, query, body }: SmobilpayRequest,
): Promise<GatewayResponse> {
  const address = `${url}/${path}`
  const search = new URLSearchParams(query).toString()
  return requestGateway(search === '' ? address : `${address}?${search}`, {
    method,
    headers: {
      authorization: authorize({ method, address, parts: { ...query, ...body } }, { token, secret, now }),
      'x-api-version': '3.0.0',
      'content-type': 'application/json',
      accept: 'application/json',
    },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
    timeoutMs,
  })
}

function authorize(
  request: { method: string; address: string; parts: Record<string, string | number> },
  { token, secret, now }: { token: string; secret: string; now: Date },
): string {
  const own = {
    s3pAuth_nonce: randomUUID(),
    s3pAuth_signature_method: 'HMAC-SHA1',
    s3pAuth_timestamp: String(now.getTime()),
    s3pAuth_token: token,
  }
  const signature = signS3p({ ...request, parts: { ...request.parts, ...own } }, secret)
  const named = Object.entries({ ...own, s3pAuth_signature: signature })
  return `s3pAuth ${named.map(([name, value]) => `${name}="${value}"`).join(', ')}`
}

/** Returns the base64 HMAC-SHA1 of the method, the address without its query, and all parts sorted by name. */
export function signS3p(
  { method, address, parts }: { method: string; address: string; parts: Record<string, string | number> },
  secret: string,
): string {
  const text = Object.entries(parts)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${String(value).trim()}`)
    .join('&')
  const base = [method, encodeURIComponent(address), encodeURIComponent(text)].join('&')
  return createHmac('sha1', secret).update(base).digest('base64')
}

function collectBody(collecting: {
  order: PaymentOrder
  payer: Payer | undefined
  quoteId: string
  webhookUrl: string
}): Record<string, string> {
  const { order, payer, quoteId, webhookUrl } = collecting
  return {
    quoteId,
    customerPhonenumber: order.phone,
    customerEmailaddress: '',
    customerName: payer?.name ?? '',
    customerAddress: '',
    serviceNumber: order.phone,
    trid: order.orderId,
    tag: order.orderId,
    callbackUrl: webhookUrl,
    // Orange Money gives its payer a code before the order.
    cdata: payer?.code ?? '',
  }
}

const withoutQuote = { kind: 'refused', problem: 'unavailable' } as const

function reasonOf(answer: GatewayResponse): string {
  return answer.kind === 'unanswered' ? answer.reason : `no quote, status ${answer.status}`
}

/** Undefined when the answer is no refusal of Smobilpay itself. */
function faultOf(answer: GatewayResponse) {
  return answer.kind === 'answered' && answer.status < 500
    ? FaultResponse.safeParse(answer.body).data
    : undefined
}

function startOf(answer: GatewayResponse): StartOutcome {
  if (answer.kind === 'unanswered') return { kind: 'unknown', reason: answer.reason }
  const collected = answer.status === 200 ? CollectResponse.safeParse(answer.body).data : undefined
  if (collected) return { kind: 'accepted', reference: collected.ptn, needsPayerCode: false }
  const fault = faultOf(answer)
  if (!fault) return { kind: 'unknown' }
  return {
    kind: 'refused',
    problem: fault.respCode === nameFaultCode ? 'payer-name-invalid' : 'order-not-created',
  }
}

/** Several payments can have the same `trid`: a succeeded one counts, otherwise the first of the list. */
function statusOf(answer: GatewayResponse): ProviderStatus {
  if (answer.kind === 'unanswered') return { kind: 'unknown', reason: answer.reason }
  if (isMissingOrder(answer, FaultResponse)) return { kind: 'missing' }
  const list = answer.status === 200 ? StatusResponse.safeParse(answer.body).data : undefined
  if (!list) return { kind: 'unknown' }
  const found = list.find(({ status }) => status === 'SUCCESS') ?? list[0]
  if (!found) return { kind: 'missing' }
  const { status, trid, priceLocalCur: amount, localCur: currency, ptn } = found
  // Smobilpay's documents name no error code that says why the payer could not pay.
  if (failures.includes(status))
    return { kind: 'failed', reason: found.errorCode ?? status, failure: 'unknown' }
  if (status !== 'SUCCESS') return { kind: 'pending' }
  return { kind: 'success', orderId: trid ?? '', amount, currency, operatorReference: ptn }
}
