import { createHmac } from 'node:crypto'
import { signWebhook } from '#server/integrations/cinetpay.ts'
import { simulatedCardPage } from './card-page-simulator.ts'
import { json } from './json-body.ts'
import type {
  SimulatorResponse,
  SimulatorRequest,
  SimulatorState,
  SimulatorProtocol,
  SimulatedPayment,
} from './simulator.ts'

export const cinetPayAccount = { apiKey: 'sim-cinetpay-key', siteId: '445566', secret: 'sim-cinetpay-secret' }

/** Only CinetPay knows this secret: the form contains the API key, but the key alone signs no form. */
const formSecret = 'known to the gateway alone'

/** CinetPay's API version 1: it signs the form, shows the card page, and sends repeated webhooks without the outcome. */
export const cinetPayProtocol: SimulatorProtocol = {
  answer(request, state) {
    const fields = new URLSearchParams(request.body)
    const apiMethod = request.query.get('method')
    if (request.path === '/v1/' && apiMethod === 'getSignatureByPost')
      return { ...signForm(fields, state), phase: 'start' }
    if (request.path === '/v1/' && apiMethod === 'checkPayStatus')
      return { ...answerStatus(fields, state), phase: 'status' }
    if (request.path === '/page' && request.method === 'POST') return showPage(request, state)
    return { status: 404 }
  },
  webhookCalls(payment) {
    const fields = new URLSearchParams({
      cpm_trans_id: payment.orderId,
      cpm_site_id: cinetPayAccount.siteId,
      cpm_amount: String(payment.amount),
      cpm_currency: payment.currency,
    })
    const post = {
      method: 'POST',
      url: payment.webhookUrl,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-token': signWebhook(fields, cinetPayAccount.secret),
      },
      body: fields.toString(),
    } as const
    // The real CinetPay too sends a GET without content first.
    return [{ method: 'GET', url: payment.webhookUrl, headers: {}, body: '' }, post, post]
  },
}

function signForm(fields: URLSearchParams, state: SimulatorState): SimulatorResponse {
  if (!isAccount(fields)) return fault('INCORRECT_SETTINGS')
  if (state.behaviour.start === 'refuses') return fault('ERROR_AMOUNT_TOO_HIGH')
  if (!/^\d{14}$/.test(fields.get('cpm_trans_date') ?? '')) return fault('INVALID_DATE')
  return json(formSignatureOf(fields))
}

function formSignatureOf(fields: URLSearchParams): string {
  const text = ['cpm_trans_id', 'cpm_amount', 'cpm_currency', 'cpm_site_id']
    .map(name => fields.get(name))
    .join('|')
  return createHmac('sha256', formSecret).update(text).digest('hex')
}

function showPage({ body }: SimulatorRequest, state: SimulatorState): SimulatorResponse {
  const fields = new URLSearchParams(body)
  const orderId = fields.get('cpm_trans_id') ?? ''
  if (!isAccount(fields) || fields.get('signature') !== formSignatureOf(fields))
    return { status: 403, body: 'signature' }
  const known = state.payments.get(orderId)
  if (known && known.status !== 'begun') return { status: 409, body: 'cpm_trans_id' }
  const payment = state.add({
    orderId,
    reference: orderId,
    amount: Number(fields.get('cpm_amount')),
    currency: fields.get('cpm_currency') ?? '',
    phone: '',
    webhookUrl: fields.get('notify_url') ?? '',
    returnTo: fields.get('return_url') ?? '',
    status: 'pending',
  })
  return simulatedCardPage('CinetPay', payment)
}

function answerStatus(fields: URLSearchParams, state: SimulatorState): SimulatorResponse {
  const payment = state.payments.get(fields.get('cpm_trans_id') ?? '')
  if (!isAccount(fields)) return json({ status: { code: '606', message: 'INCORRECT_SETTINGS' } })
  if (!payment) return json({ status: { code: '607', message: 'TRANSACTION_NOT_FOUND' } })
  return json({ transaction: statusBody(state.reported(payment)) })
}

function statusBody({ orderId, amount, currency, status, reason }: SimulatedPayment) {
  const result = { begun: '', pending: '662', success: '00', failed: '627' }[status]
  return {
    cpm_site_id: cinetPayAccount.siteId,
    cpm_trans_id: orderId,
    cpm_amount: String(amount),
    cpm_currency: currency,
    cpm_payid: status === 'success' ? `CP${orderId.replaceAll(/\D/g, '')}` : '',
    cpm_result: result,
    cpm_trans_status: status === 'success' ? 'ACCEPTED' : '',
    cpm_error_message: reason === '' ? 'TRANSACTION_CANCEL' : reason,
    cpm_designation: orderId,
  }
}

function isAccount(fields: URLSearchParams): boolean {
  return (
    fields.get('apikey') === cinetPayAccount.apiKey && fields.get('cpm_site_id') === cinetPayAccount.siteId
  )
}

function fault(message: string): SimulatorResponse {
  return json({ status: { code: '606', message } })
}
