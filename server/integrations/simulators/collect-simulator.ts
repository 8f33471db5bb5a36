import { createHmac } from 'node:crypto'
import { json, readObject, textOf } from './json-body.ts'
import type {
  SimulatorResponse,
  SimulatorRequest,
  SimulatorState,
  SimulatorProtocol,
  SimulatedPayment,
} from './simulator.ts'

export const collectAccount = { key: 'sim-collect-key', secret: 'sim-collect-secret' }

/** The simulator refuses this code. */
const wrongCode = '0000'
/**
 * With this code, typed after the order, the order expires at once. In the demo an order whose code is not typed expires after
 * 15 minutes.
 */
const lateCode = '9999'
/** Payers whose number ends with these digits must type a code of their operator after the order (PAY18). */
const codePayers = /56$/
/** Orange and Yoomee: these wallets need a code that the payer has before the order. */
const codeServices = ['2', '4']

/** The webhook address is part of the merchant's account at the aggregator, not of a request. */
export function collectProtocol(webhookUrl: () => string): SimulatorProtocol {
  return {
    answer(request, state) {
      if (request.headers['x-api-key'] !== collectAccount.key || request.headers['operation'] !== '2')
        return json({ success: false, code: 401, status: 'FAILURE', message: 'unauthorized' }, 401)
      if (request.path === '/api/agent/bills/v3')
        return { ...collect(request, state, webhookUrl()), phase: 'start' }
      if (request.path === '/api/agent/bills/v3/confirm')
        return { ...acceptCode(request, state), phase: 'start' }
      if (request.path === '/api/agent/verif-pay') return { ...verify(request, state), phase: 'status' }
      return { status: 404 }
    },
    webhookCalls(payment) {
      const body = JSON.stringify({
        success: true,
        status: wordOf(payment.status),
        external_reference: payment.orderId,
      })
      const signature = createHmac('sha256', collectAccount.secret).update(body).digest('hex')
      const headers = { 'content-type': 'application/json', 'x-signature': signature }
      return [{ method: 'POST', url: payment.webhookUrl, headers, body }]
    },
  }
}

function collect(
  { headers, body }: SimulatorRequest,
  state: SimulatorState,
  webhookUrl: string,
): SimulatorResponse {
  const fields = readObject(body)
  const service = textOf(headers['service'])
  const code = textOf(headers['otp'])
  if (!['1', '2', '3', '4'].includes(service)) return refused(400, 'service')
  // 17: an invalid payer name (ERR15), in this simulator a name with a digit.
  if (/\d/.test(textOf(fields['payer']))) return refused(17, 'payer')
  if (codeServices.includes(service) && (code === '' || code === wrongCode))
    return refused(604, 'OTP_CODE_ERROR')
  if (state.behaviour.start === 'refuses') return refused(635, 'wallet')
  if (state.payments.has(textOf(fields['order_id']))) return refused(409, 'order_id')
  const payment = state.add({
    orderId: textOf(fields['order_id']),
    reference: `MLS${state.payments.size + 1}`,
    amount: Number(fields['amount']),
    currency: textOf(fields['currency']),
    phone: textOf(fields['wallet']),
    webhookUrl,
    returnTo: textOf(fields['successUrl']),
    ...(codePayers.test(textOf(fields['wallet'])) ? { status: 'begun' } : {}),
  })
  return json(statusBody(payment))
}

/** A right code starts the payment. The payer then approves after the usual time. */
function acceptCode({ headers, body }: SimulatorRequest, state: SimulatorState): SimulatorResponse {
  const code = textOf(headers['otp'])
  const payment = state.payments.get(textOf(readObject(body)['order_id']))
  if (!payment || payment.status === 'success') return refused(409, 'order_id')
  if (code === lateCode) Object.assign(payment, { status: 'failed', reason: 'EXPIRED' })
  if (payment.status === 'failed') return refused(625, 'EXPIRED')
  if (code === '' || code === wrongCode) return refused(604, 'OTP_CODE_ERROR')
  Object.assign(payment, { status: 'pending', startedAt: state.now() })
  return json(statusBody(payment))
}

function verify({ query }: SimulatorRequest, state: SimulatorState): SimulatorResponse {
  const payment = state.payments.get(query.get('orderId') ?? '')
  return payment
    ? json(statusBody(state.reported(payment)))
    : json({ success: false, code: 404, status: 'FAILURE', message: 'not found' }, 404)
}

function statusBody({ orderId, reference, amount, currency, status, reason }: SimulatedPayment) {
  return {
    success: true,
    code: status === 'begun' ? 663 : (failureNumbers[reason] ?? 200),
    status: wordOf(status),
    message: reason,
    data: {
      operation: 'PURCHASE',
      reference,
      external_reference: orderId,
      transaction_reference: '',
      amount: String(amount),
      currency,
    },
  }
}

const failureNumbers: Record<string, number> = {
  NOT_ENOUGH_FUNDS: 602,
  EXPIRED: 625,
  APPROVAL_REJECTED: 627,
}

function wordOf(status: SimulatedPayment['status']): string {
  return { begun: 'RECEIVED', pending: 'PROCESSING', success: 'SUCCESS', failed: 'FAILURE' }[status]
}

function refused(code: number, message: string): SimulatorResponse {
  return json({ success: false, code, status: 'FAILURE', message }, 400)
}
