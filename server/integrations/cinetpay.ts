import { createHmac } from 'node:crypto'
import * as z from 'zod/mini'
import { failureByNumber } from './failure-numbers.ts'
import { requestGateway, type GatewayResponse } from './gateway-request.ts'
import type {
  WebhookRequest,
  WebhookReading,
  GatewayForm,
  PaymentOrder,
  PaymentProvider,
  ProviderStatus,
} from './payment-provider.ts'
import { isEqualConstantTime } from '#server/crypto/constant-time-equal.ts'

export type CinetPaySettings = {
  apiUrl: string
  /** The URL to which the payer's browser posts the form. */
  pageUrl: string
  apiKey: string
  siteId: string
  /** The key of the webhook signatures; '' when none was agreed: then the server accepts unsigned webhooks. */
  secret: string
  webhookUrl: string
  timeoutMs: number
}

/** Response of `checkPayStatus` for a known order. `cpm_result` is '00' for a success; see `finalFailureCodes`. */
const StatusResponse = z.object({
  transaction: z.object({
    cpm_site_id: z.coerce.string(),
    cpm_trans_id: z.string(),
    cpm_amount: z.coerce.number(),
    cpm_currency: z.string(),
    cpm_result: z.nullish(z.coerce.string()),
    cpm_trans_status: z.nullish(z.string()),
    cpm_error_message: z.nullish(z.string()),
    cpm_payid: z.nullish(z.coerce.string()),
  }),
})
/**
 * Response of `getSignatureByPost` and `checkPayStatus` that has an error in place of a result: for example, the form is
 * invalid, or CinetPay does not know the order.
 */
const ErrorResponse = z.object({ status: z.object({ code: z.coerce.string(), message: z.string() }) })

/** With these `cpm_result` values an order can never succeed. With '00' it has succeeded, with others it still can. */
const finalFailureCodes = '600 602 604 606 609 625 627 635 636 641 642 807 808 809 810 811 812'.split(' ')

/** Creates the client of CinetPay's card page, API version 1: the payer's browser posts a signed form (PAY21). */
export function createCinetPay(settings: CinetPaySettings): PaymentProvider {
  const { apiUrl, apiKey, siteId, timeoutMs } = settings
  const post = (method: string, fields: Record<string, string>) =>
    requestGateway(`${apiUrl}/v1/?method=${method}`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
      timeoutMs,
    })
  return {
    isCard: true,
    channelOf: () => 'CinetPay',
    async start(order) {
      const fields = fieldsOf(settings, order)
      const answer = await post('getSignatureByPost', fields)
      if (answer.kind === 'unanswered') return { kind: 'unknown', reason: answer.reason }
      const signature = answer.status === 200 ? answer.body : undefined
      // A success is a JSON string with the signature, an error is an object. After an error there is no form.
      if (typeof signature === 'string' && signature !== '') {
        const form = formOf(settings, order, { ...fields, signature })
        return { kind: 'accepted', reference: order.orderId, needsPayerCode: false, form }
      }
      return ErrorResponse.safeParse(signature).success
        ? { kind: 'refused', problem: 'unavailable' }
        : { kind: 'unknown' }
    },
    async queryStatus({ orderId }) {
      const answer = await post('checkPayStatus', {
        apikey: apiKey,
        cpm_site_id: siteId,
        cpm_trans_id: orderId,
      })
      return statusOf(answer, siteId)
    },
  }
}

/** Reads CinetPay's webhook. CinetPay sends it many times, first as a GET without a body, and never with the outcome. */
export function readCinetPayWebhook(secret: string): (webhook: WebhookRequest) => WebhookReading {
  return ({ body, headers }) => {
    const fields = new URLSearchParams(body)
    const orderId = fields.get('cpm_trans_id')
    if (orderId === null) return { kind: 'no-payment' }
    if (secret !== '' && !isEqualConstantTime(String(headers['x-token'] ?? ''), signWebhook(fields, secret)))
      return { kind: 'forged' }
    return { kind: 'payment', orderId }
  }
}

/** CinetPay signs the values of these fields, joined in this order. */
const signedFields = [
  'cpm_site_id',
  'cpm_trans_id',
  'cpm_trans_date',
  'cpm_amount',
  'cpm_currency',
  'signature',
  'payment_method',
  'cel_phone_num',
  'cpm_phone_prefixe',
  'cpm_language',
  'cpm_version',
  'cpm_payment_config',
  'cpm_page_action',
  'cpm_custom',
  'cpm_designation',
  'cpm_error_message',
] as const

/** Returns the hexadecimal HMAC-SHA256 that CinetPay sends in `x-token`. */
export function signWebhook(fields: URLSearchParams, secret: string): string {
  const text = signedFields.map(name => fields.get(name) ?? '').join('')
  return createHmac('sha256', secret).update(text).digest('hex')
}

function fieldsOf({ apiKey, siteId }: CinetPaySettings, order: PaymentOrder) {
  return {
    apikey: apiKey,
    cpm_site_id: siteId,
    cpm_currency: order.currency,
    cpm_payment_config: 'SINGLE',
    cpm_page_action: 'PAYMENT',
    cpm_version: 'V1',
    cpm_language: order.language,
    cpm_trans_date: order.orderedAt.toISOString().replaceAll(/\D/g, '').slice(0, 14),
    cpm_trans_id: order.orderId,
    cpm_designation: order.orderId,
    cpm_amount: String(order.amount),
  }
}

function formOf(
  { pageUrl, webhookUrl }: CinetPaySettings,
  { returnTo }: PaymentOrder,
  signed: Record<string, string>,
): GatewayForm {
  const fields = {
    ...signed,
    notify_url: webhookUrl,
    return_url: returnTo,
    cancel_url: returnTo,
    refusal_url: returnTo,
  }
  return {
    url: pageUrl,
    fields: Object.entries(fields).map(([name, value]) => ({ name, value })),
    html: undefined,
  }
}

/** Returns a message that is a code, such as `INSUFFICIENT_BALANCE`; undefined for other texts, which could name the payer. */
function codeIn(message: string | null | undefined): string | undefined {
  return message !== null && message !== undefined && /^[A-Z_]{1,40}$/.test(message) ? message : undefined
}

/** `TRANSACTION_NOT_FOUND` and the like: CinetPay's documents do not say how it names an unknown order. */
const unknownTransaction = /^TRANS[A-Z _]*NOT[ _]?(?:FOUND|EXIST)/i

/**
 * Reads an error that has the HTTP status 200. `missing`: the error says that CinetPay does not know the order. All other
 * errors, such as a wrong key or a fault of CinetPay, say nothing about the order: `reason` is their code for the log, so that
 * an operator sees why the order stays open.
 */
function statusOfError(body: unknown): ProviderStatus {
  const error = ErrorResponse.safeParse(body).data?.status
  if (error === undefined) return { kind: 'unknown' }
  const { code, message } = error
  if (unknownTransaction.test(message)) return { kind: 'missing' }
  return {
    kind: 'unknown',
    reason: codeIn(message) ?? `error ${/^\d{1,5}$/.test(code) ? code : 'without a code'}`,
  }
}

function statusOf(answer: GatewayResponse, siteId: string): ProviderStatus {
  if (answer.kind === 'unanswered') return { kind: 'unknown', reason: answer.reason }
  if (answer.status !== 200) return { kind: 'unknown' }
  const transaction = StatusResponse.safeParse(answer.body).data?.transaction
  if (!transaction) return statusOfError(answer.body)
  if (transaction.cpm_site_id !== siteId) return { kind: 'unknown' }
  const result = transaction.cpm_result ?? ''
  if (finalFailureCodes.includes(result)) {
    const failure = failureByNumber[Number(result)] ?? 'unknown'
    return { kind: 'failed', reason: codeIn(transaction.cpm_error_message) ?? result, failure }
  }
  if (result !== '00') return { kind: 'pending' }
  return {
    kind: 'success',
    orderId: transaction.cpm_trans_id,
    amount: transaction.cpm_amount,
    currency: transaction.cpm_currency,
    operatorReference: transaction.cpm_payid ?? '',
  }
}
