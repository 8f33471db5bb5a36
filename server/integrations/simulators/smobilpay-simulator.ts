import { createHmac } from 'node:crypto'
import { signS3p } from '#server/integrations/smobilpay.ts'
import { json, readObject, textOf } from './json-body.ts'
import type {
  SimulatorResponse,
  SimulatorRequest,
  SimulatorState,
  SimulatorProtocol,
  SimulatedPayment,
} from './simulator.ts'

export const smobilpayAccount = {
  token: 'sim-s3p-token',
  secret: 'sim-s3p-secret',
  webhookSecret: 'sim-s3p-hook',
}

const items = ['MTN', 'ORANGE', 'EXPRESSUNION'].map(merchant => ({
  payItemId: `S-112-948-${merchant}-20053-200050001-1`,
  merchant,
  amountType: 'CUSTOM',
  localCur: 'XAF',
}))

/** The amounts of the open quotes, by id, and how many quotes there have been. */
type Quotes = { amounts: Map<string, number>; count: number }

/** Smobilpay S3P: item, quote, collect. Every request is signed. A second collection with the same `trid` is accepted. */
export function smobilpayProtocol(address: () => string): SimulatorProtocol {
  const quotes: Quotes = { amounts: new Map(), count: 0 }
  return {
    answer(request, state) {
      if (!isSigned(request, address())) return fault(4005, 401)
      if (request.path === '/cashout') return json(items)
      if (request.path === '/quotestd') return quote(request, quotes)
      if (request.path === '/collectstd') return { ...collect(request, state, quotes), phase: 'start' }
      if (request.path === '/verifytx') return { ...verify(request, state), phase: 'status' }
      return { status: 404 }
    },
    webhookCalls(payment) {
      const status = payment.status === 'success' ? 'SUCCESS' : 'ERROR'
      const body = JSON.stringify({
        timestamp: new Date(payment.startedAt).toISOString(),
        trid: payment.orderId,
        errorCode: status === 'ERROR' ? 703_201 : null,
        status,
      })
      const signature = createHmac('sha1', smobilpayAccount.webhookSecret).update(body).digest('hex')
      const headers = {
        'content-type': 'application/json',
        'x-delivery': payment.reference,
        'x-ptn': payment.reference,
        'x-signature': signature,
      }
      return [{ method: 'POST', url: payment.webhookUrl, headers, body }]
    },
  }
}

function isSigned({ method, path, query, headers, body }: SimulatorRequest, address: string): boolean {
  const named = Object.fromEntries(
    Array.from(
      (headers.authorization ?? '').matchAll(/(s3pAuth_\w+)="([^"]*)"/g),
      ([, name = '', value = '']) => [name, value],
    ),
  )
  const { s3pAuth_signature: signature, ...own }: Record<string, string> = named
  const fields = Object.entries(readObject(body)).map(([name, value]) => [name, textOf(value)] as const)
  const parts = { ...Object.fromEntries(query), ...Object.fromEntries(fields), ...own }
  const expected = signS3p({ method, address: `${address}${path}`, parts }, smobilpayAccount.secret)
  return own['s3pAuth_token'] === smobilpayAccount.token && signature === expected
}

function quote({ body }: SimulatorRequest, quotes: Quotes): SimulatorResponse {
  const fields = readObject(body)
  if (!items.some(item => item.payItemId === fields['payItemId'])) return fault(40_301, 400)
  quotes.count += 1
  const quoteId = `Q${quotes.count}`
  quotes.amounts.set(quoteId, Number(fields['amount']))
  return json({
    quoteId,
    expiresAt: '2099-01-01T00:00:00Z',
    priceLocalCur: String(fields['amount']),
    localCur: 'XAF',
  })
}

function collect({ body }: SimulatorRequest, state: SimulatorState, quotes: Quotes): SimulatorResponse {
  const fields = readObject(body)
  const quoteId = textOf(fields['quoteId'])
  const amount = quotes.amounts.get(quoteId)
  if (amount === undefined) return fault(40_101, 400)
  // 40602: an invalid payer name (ERR15), in this simulator a name with a digit.
  if (/\d/.test(textOf(fields['customerName']))) return fault(40_602, 400)
  if (state.behaviour.start === 'refuses') return fault(40_601, 400)
  quotes.amounts.delete(quoteId)
  const payment = state.add({
    orderId: textOf(fields['trid']),
    // A quote is collected once, so no two payments have one reference.
    reference: `99999166542651400095315364801${quoteId.slice(1)}`,
    amount,
    currency: 'XAF',
    phone: textOf(fields['customerPhonenumber']),
    webhookUrl: textOf(fields['callbackUrl']),
    returnTo: '',
  })
  return json(statusBody(payment))
}

function verify({ query }: SimulatorRequest, state: SimulatorState): SimulatorResponse {
  const payment = state.payments.get(query.get('trid') ?? '')
  return json(payment ? [statusBody(state.reported(payment))] : [])
}

function statusBody({ orderId, reference, amount, currency, status }: SimulatedPayment) {
  return {
    ptn: reference,
    trid: orderId,
    status: { begun: 'PENDING', pending: 'INPROCESS', success: 'SUCCESS', failed: 'ERRORED' }[status],
    priceLocalCur: String(amount),
    localCur: currency,
    receiptNumber: status === 'success' ? reference.slice(-8) : '',
    veriCode: '',
    errorCode: status === 'failed' ? 703_201 : null,
  }
}

function fault(respCode: number, status: number): SimulatorResponse {
  return json({ respCode, devMsg: 'simulated', usrMsg: 'simulated', link: '' }, status)
}
