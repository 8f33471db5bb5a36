import { createHmac } from 'node:crypto'
import { maxBodyBytes } from '#server/http/bodies.ts'
import { isWebhookSource, webhookSources } from '#server/features/payments/webhook-sources.ts'
import { signFields } from '#server/integrations/card-bank.ts'
import { signWebhook } from '#server/integrations/cinetpay.ts'
import type { RandomSource } from '#support/random-source.ts'
import { changeSome, type Parts, type SentRequest } from './changed-requests.ts'
import { encode, oddTexts } from './odd-values.ts'
import { webhookSecrets } from './outside-payments.ts'
import type { BuiltRequest } from './way.ts'

export const reportKey = 'key-of-the-sms-gateways'
/** The id that the gateway gave to a message of the server. */
export const knownMessage = 'message-of-a-gateway'

type Names = { number: string; reference: string }
type Body = { isForm: boolean; payload: string; headers: SentRequest['headers'] }

const hmac = (algorithm: string, secret: string, text: string) =>
  createHmac(algorithm, secret).update(text).digest('hex')

/** Writes the body of each provider's webhook, always with a success of another amount. An empty secret: no signature. */
const writers: Record<keyof typeof webhookSources, (names: Names, secret: string) => Body> = {
  mtn: ({ number }) =>
    jsonBody({
      externalId: number,
      status: 'SUCCESSFUL',
      amount: '1',
      currency: 'XAF',
      financialTransactionId: 1,
    }),
  orange: ({ reference }) => jsonBody({ payToken: reference, status: 'SUCCESS', amount: 1 }),
  cinetpay({ number }, secret) {
    const fields = { cpm_site_id: '1', cpm_trans_id: number, cpm_amount: '1', cpm_result: '00' }
    const token = signWebhook(new URLSearchParams(fields), secret)
    return { ...formBody(fields), headers: secret === '' ? {} : { 'x-token': token } }
  },
  uba: bankBody,
  bacm: bankBody,
  smobilpay: ({ number }, secret) =>
    signedJson({ trid: number, status: 'SUCCESS', amount: 1 }, 'sha1', secret),
  collect: ({ number }, secret) =>
    signedJson({ external_reference: number, success: true, amount: 1 }, 'sha256', secret),
}

function jsonBody(fields: object): Body {
  return { isForm: false, payload: JSON.stringify(fields), headers: {} }
}

function formBody(fields: Record<string, string>): Body {
  return { isForm: true, payload: new URLSearchParams(fields).toString(), headers: {} }
}

function bankBody({ number }: Names, secret: string): Body {
  const fields = { orderId: number, status: 'APPROVED', amount: '1' }
  return formBody(secret === '' ? fields : { ...fields, mac: signFields(fields, secret) })
}

function signedJson(fields: object, algorithm: string, secret: string): Body {
  const body = jsonBody(fields)
  return { ...body, headers: secret === '' ? {} : { 'x-signature': hmac(algorithm, secret, body.payload) } }
}

const signings = ['signed', 'signed', 'unsigned', 'otherSecret', 'changedAfterwards'] as const

/** A provider's webhook: for an own, a foreign, an earlier or no order, with or without the provider's signature. */
export function buildWebhook(parts: Parts): BuiltRequest {
  const { random, subject, foreign, earlier } = parts
  const sources = Object.keys(webhookSources).filter(isWebhookSource)
  const source =
    subject.order?.source !== undefined && random.below(2) === 0 ? subject.order.source : random.pick(sources)
  const odd = random.pick(oddTexts)
  const other = earlier.length === 0 ? undefined : random.pick(earlier)
  const known = [subject.order, subject.order, foreign.order, other, other].filter(
    order => order !== undefined,
  )
  const names = known[random.below(known.length + 1)] ?? { number: odd, reference: odd }
  const secret = source === 'mtn' || source === 'orange' ? undefined : webhookSecrets[source]
  const signing = random.pick(signings)
  const otherSecret = signing === 'unsigned' ? '' : 'x'
  const isOther = signing === 'unsigned' || signing === 'otherSecret'
  const body = writers[source](names, isOther ? otherSecret : (secret ?? ''))
  if (signing === 'changedAfterwards')
    body.payload = body.payload.replace(/(amount=|"amount":"?)1/, '$1110000')
  const path = random.below(20) === 0 ? random.pick(['nothing', '__proto__', 'constructor', '%00']) : source
  const request: SentRequest = {
    method: random.pick(['POST', 'POST', 'PUT']),
    url: `/hooks/payments/${path}`,
    headers: {
      host: 'localhost:8080',
      'content-type': body.isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      ...body.headers,
    },
    payload: body.payload,
  }
  if (random.below(12) === 0) {
    const { payload = '', ...rest } = request
    return withChanges({ ...rest, method: 'GET', url: `${request.url}?${payload}` }, parts, undefined)
  }
  const isForged = secret !== undefined && signing !== 'signed'
  return withChanges(request, parts, path === source ? (isForged ? 403 : 200) : 404)
}

/** A report of an SMS gateway, which needs no signature but the key in the address. */
export function buildReport(parts: Parts): BuiltRequest {
  const { random } = parts
  const reference = random.pick([knownMessage, knownMessage, 'unknown', random.pick(oddTexts)])
  const provider = random.pick(['orange', 'infobip', 'infobip', '__proto__'])
  const keys = [
    reportKey,
    reportKey,
    reportKey.slice(1),
    `${reportKey}x`,
    encode(random.pick(oddTexts).slice(0, 200)),
  ]
  const key = random.pick(keys)
  const request: SentRequest = {
    method: 'POST',
    url: `/hooks/sms/${provider}/${key}`,
    headers: { host: 'localhost:8080', 'content-type': 'application/json' },
    payload: JSON.stringify(
      provider === 'orange' ? orangeReport(reference, random) : infobipReport(reference, random),
    ),
  }
  return withChanges(request, parts, key === reportKey && provider !== '__proto__' ? 204 : 404)
}

function orangeReport(callbackData: string, random: RandomSource) {
  const deliveryStatus = random.pick([
    'DeliveredToTerminal',
    'DeliveryImpossible',
    'MessageWaiting',
    'toString',
  ])
  return { deliveryInfoNotification: { callbackData, deliveryInfo: { address: 'tel:+237', deliveryStatus } } }
}

function infobipReport(messageId: string, random: RandomSource) {
  const status = { groupName: random.pick(['DELIVERED', 'EXPIRED', 'PENDING', '__proto__']), name: 'X' }
  return { results: Array.from({ length: random.pick([0, 1, 2, 300]) }, () => ({ messageId, status })) }
}

/** `must`: the status that the unchanged request must have. */
function withChanges(request: SentRequest, parts: Parts, must: number | undefined): BuiltRequest {
  const applied = changeSome(request, parts)
  const isTooLarge = Buffer.byteLength(request.payload ?? '') > maxBodyBytes
  const isUnchanged = applied.length === 0 && !isTooLarge && !/[^\x20-\x7e]/.test(request.url)
  return { request, applied, must: isUnchanged ? must : undefined }
}
