import { signFields } from '#server/integrations/card-bank.ts'
import { escapeHtml, simulatedCardPage } from './card-page-simulator.ts'
import { json, readObject, textOf } from './json-body.ts'
import type {
  SimulatorResponse,
  SimulatorRequest,
  SimulatorState,
  SimulatorProtocol,
  SimulatedPayment,
} from './simulator.ts'

export type BankAccount = { merchant: string; secret: string; name: string; pageUrl: string }

/**
 * A bank with its own card page: `init` returns a page that posts itself, with a signed ticket. These have a `mac`:
 * the requests `init` and `inquiry` (the status query), the webhooks, and the answer to an `inquiry` about a known
 * order. Other answers have none.
 */
export function bankProtocol(account: () => BankAccount): SimulatorProtocol {
  return {
    answer(request, state) {
      if (request.path === '/payment/init') return { ...openOrder(request, state, account()), phase: 'start' }
      if (request.path === '/payment/inquiry')
        return { ...answerStatus(request, state, account()), phase: 'status' }
      if (request.path === '/page' && request.method === 'POST') return showPage(request, state, account())
      return { status: 404 }
    },
    webhookCalls({ orderId, status, webhookUrl }) {
      const { merchant, secret } = account()
      const fields = { merchantId: merchant, orderId, status: wordOf(status) }
      const body = new URLSearchParams({ ...fields, mac: signFields(fields, secret) }).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return [{ method: 'POST', url: webhookUrl, headers, body }]
    },
  }
}

function openOrder(
  { body }: SimulatorRequest,
  state: SimulatorState,
  account: BankAccount,
): SimulatorResponse {
  const fields = readSigned(body, account)
  if (!fields || state.behaviour.start === 'refuses')
    return json({ status: 'Error', message: 'refused' }, 400)
  const orderId = fields['orderId'] ?? ''
  const known = state.payments.get(orderId)
  if (known && known.status !== 'begun') return json({ status: 'Error', message: 'duplicate order' }, 400)
  const payment =
    known ??
    state.add({
      orderId,
      reference: `${account.merchant}-${orderId}`,
      amount: Number(fields['amount']),
      currency: fields['currency'] ?? '',
      phone: '',
      webhookUrl: fields['callbackUrl'] ?? '',
      returnTo: fields['returnUrl'] ?? '',
      status: 'begun',
    })
  return json({ status: 'Success', data: autoPost(payment, account) })
}

function autoPost({ orderId, reference }: SimulatedPayment, { pageUrl, secret }: BankAccount): string {
  const ticket = signFields({ orderId, reference }, secret)
  const fields = { order: orderId, session: reference, ticket }
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}"/>`,
  )
  return [
    '<!DOCTYPE html><html><head><title>Redirect</title><script>window.onload=function(){document.forms[0].submit()}</script></head>',
    `<body><form name="pay" method="POST" action="${escapeHtml(pageUrl)}">${inputs.join('')}`,
    '<noscript><input type="submit" value="Continue"/></noscript></form></body></html>',
  ].join('')
}

function showPage(
  { body }: SimulatorRequest,
  state: SimulatorState,
  { secret, name }: BankAccount,
): SimulatorResponse {
  const fields = new URLSearchParams(body)
  const payment = state.payments.get(fields.get('order') ?? '')
  const ticket = payment && signFields({ orderId: payment.orderId, reference: payment.reference }, secret)
  if (!payment || fields.get('ticket') !== ticket) return { status: 403, body: 'ticket' }
  if (payment.status !== 'begun') return { status: 409, body: 'order' }
  payment.status = 'pending'
  return simulatedCardPage(name, payment)
}

function answerStatus(
  { body }: SimulatorRequest,
  state: SimulatorState,
  account: BankAccount,
): SimulatorResponse {
  const fields = readSigned(body, account)
  if (!fields) return json({ status: 'Error', message: 'mac' }, 400)
  const known = state.payments.get(fields['orderId'] ?? '')
  if (!known) return json({ status: 'Error', message: 'unknown order' }, 404)
  const { orderId, amount, currency, status } = state.reported(known)
  const answer = {
    merchantId: account.merchant,
    orderId,
    amount: String(amount),
    currency,
    status: wordOf(status),
    rrn: status === 'success' ? `9${orderId.replaceAll(/\D/g, '')}` : '',
  }
  return json({ ...answer, mac: signFields(answer, account.secret) })
}

function readSigned(body: string, { merchant, secret }: BankAccount): Record<string, string> | undefined {
  const entries = Object.entries(readObject(body)).map(([name, value]) => [name, textOf(value)] as const)
  const { mac, ...fields }: Record<string, string> = Object.fromEntries(entries)
  return fields['merchantId'] === merchant && mac === signFields(fields, secret) ? fields : undefined
}

function wordOf(status: SimulatedPayment['status']): string {
  return { begun: 'INITIATED', pending: 'PENDING', success: 'APPROVED', failed: 'DECLINED' }[status]
}
