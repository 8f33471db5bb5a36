import { json, readObject, textOf } from './json-body.ts'
import type { SimulatorResponse, SimulatorRequest, SimulatorState, SimulatorProtocol } from './simulator.ts'

export const mtnAccount = {
  subscriptionKey: 'sim-mtn-key',
  user: 'sim-mtn-user',
  apiKey: 'sim-mtn-api',
  target: 'mtncameroon',
}

const token = 'sim-mtn-token'
const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i

/** MTN MoMo Collections: 202 for a new payment request, 409 for a known reference, one webhook, never repeated. */
export const mtnProtocol: SimulatorProtocol = {
  answer(request, state) {
    const { method, path, headers } = request
    if (headers['ocp-apim-subscription-key'] !== mtnAccount.subscriptionKey)
      return json({ statusCode: 401, message: 'Access denied due to invalid subscription key.' }, 401)
    if (path === '/collection/token/') return issueToken(request)
    if (headers.authorization !== `Bearer ${token}`) return json({ message: 'Unauthorized' }, 401)
    if (headers['x-target-environment'] !== mtnAccount.target)
      return json({ code: 'NOT_ALLOWED_TARGET_ENVIRONMENT' }, 500)
    const root = '/collection/v1_0/requesttopay'
    if (method === 'POST' && path === root) return { ...startPayment(request, state), phase: 'start' }
    if (method === 'GET' && path.startsWith(`${root}/`))
      return { ...answerStatus(path.slice(root.length + 1), state), phase: 'status' }
    return { status: 404 }
  },
  webhookCalls: payment => [
    {
      method: 'PUT',
      url: payment.webhookUrl,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(statusBody(payment)),
    },
  ],
}

function issueToken({ headers }: SimulatorRequest): SimulatorResponse {
  const credentials = Buffer.from(`${mtnAccount.user}:${mtnAccount.apiKey}`).toString('base64')
  return headers.authorization === `Basic ${credentials}`
    ? json({ access_token: token, token_type: 'access_token', expires_in: 3600 })
    : json({ error: 'login_failed' }, 401)
}

function startPayment({ headers, body }: SimulatorRequest, state: SimulatorState): SimulatorResponse {
  const reference = textOf(headers['x-reference-id'])
  const fields = readObject(body)
  const { partyIdType, partyId } = readObject(JSON.stringify(fields['payer']))
  if (!uuid.test(reference)) return json({ code: 'INVALID_REFERENCE' }, 400)
  if (state.findByReference(reference)) return json({ code: 'RESOURCE_ALREADY_EXIST' }, 409)
  if (state.behaviour.start === 'refuses') return json({ code: 'PAYER_NOT_FOUND' }, 400)
  if (partyIdType !== 'MSISDN' || !/^237\d{9}$/.test(textOf(partyId)))
    return json({ code: 'PAYER_NOT_FOUND' }, 400)
  if (fields['currency'] !== 'XAF') return json({ code: 'INVALID_CURRENCY' }, 400)
  if (!/^\d+$/.test(textOf(fields['amount']))) return json({ code: 'INVALID_AMOUNT' }, 400)
  state.add({
    reference,
    orderId: textOf(fields['externalId']),
    amount: Number(fields['amount']),
    currency: 'XAF',
    phone: textOf(partyId),
    webhookUrl: textOf(headers['x-callback-url']),
    returnTo: '',
  })
  return { status: 202 }
}

function answerStatus(reference: string, state: SimulatorState): SimulatorResponse {
  const payment = state.findByReference(reference)
  return payment ? json(statusBody(state.reported(payment))) : json({ code: 'RESOURCE_NOT_FOUND' }, 404)
}

function statusBody({
  orderId,
  amount,
  currency,
  phone,
  status,
  reason,
}: ReturnType<SimulatorState['reported']>) {
  return {
    ...(status === 'success' ? { financialTransactionId: `77${orderId.replaceAll(/\D/g, '')}` } : {}),
    externalId: orderId,
    amount: String(amount),
    currency,
    payer: { partyIdType: 'MSISDN', partyId: phone },
    status: status === 'success' ? 'SUCCESSFUL' : status === 'failed' ? 'FAILED' : 'PENDING',
    ...(status === 'failed' ? { reason: reason === '' ? 'APPROVAL_REJECTED' : reason } : {}),
  }
}
