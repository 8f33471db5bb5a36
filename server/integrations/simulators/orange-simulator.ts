import { json, readObject, textOf } from './json-body.ts'
import type { SimulatorResponse, SimulatorRequest, SimulatorState, SimulatorProtocol } from './simulator.ts'

export const orangeAccount = {
  key: 'sim-orange-key',
  secret: 'sim-orange-secret',
  authToken: 'sim-orange-auth',
  merchantPhone: '690000000',
  pin: '2222',
}

const token = 'sim-orange-token'
const root = '/omcoreapis/1.0.2/mp'
let openedCount = 0

/** Orange Money's merchant payment: init returns a token, pay asks the payer, the webhook is unsigned. */
export const orangeProtocol: SimulatorProtocol = {
  answer(request, state) {
    const { method, path, headers } = request
    if (path === '/token') return issueToken(request)
    if (headers.authorization !== `Bearer ${token}` || headers['x-auth-token'] !== orangeAccount.authToken)
      return json({ message: 'Unauthorized' }, 401)
    if (method === 'POST' && path === `${root}/init`) {
      openedCount += 1
      return json({
        message: 'Payment request successfully initiated',
        data: { payToken: `MP26${openedCount}` },
      })
    }
    if (method === 'POST' && path === `${root}/pay`)
      return { ...startPayment(request, state), phase: 'start' }
    if (method === 'GET' && path.startsWith(`${root}/paymentstatus/`))
      return { ...answerStatus(path.split('/').at(-1) ?? '', state), phase: 'status' }
    return { status: 404 }
  },
  webhookCalls: ({ reference, status, reason, webhookUrl }) => [
    {
      method: 'POST',
      url: webhookUrl,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ payToken: reference, status: wordOf(status, reason), message: '' }),
    },
  ],
}

function issueToken({ headers, body }: SimulatorRequest): SimulatorResponse {
  const credentials = Buffer.from(`${orangeAccount.key}:${orangeAccount.secret}`).toString('base64')
  return headers.authorization === `Basic ${credentials}` && body === 'grant_type=client_credentials'
    ? json({ access_token: token, token_type: 'Bearer', expires_in: 3600 })
    : json({ error: 'invalid_client' }, 401)
}

function startPayment({ body }: SimulatorRequest, state: SimulatorState): SimulatorResponse {
  const fields = readObject(body)
  const reference = textOf(fields['payToken'])
  const refused = json({ message: '60019 :: Le compte du payeur est introuvable.', data: null }, 417)
  if (fields['channelUserMsisdn'] !== orangeAccount.merchantPhone || fields['pin'] !== orangeAccount.pin)
    return refused
  if (!/^6\d{8}$/.test(textOf(fields['subscriberMsisdn'])) || state.behaviour.start === 'refuses')
    return refused
  // A repeated pay with the same token stays one payment.
  const payment =
    state.findByReference(reference) ??
    state.add({
      reference,
      orderId: textOf(fields['orderId']),
      amount: Number(fields['amount']),
      currency: 'XAF',
      phone: `237${textOf(fields['subscriberMsisdn'])}`,
      webhookUrl: textOf(fields['notifUrl']),
      returnTo: '',
    })
  return json({
    message: 'Merchant payment successfully initiated',
    data: { ...statusBody(payment), inittxnstatus: '200', status: 'PENDING' },
  })
}

function answerStatus(reference: string, state: SimulatorState): SimulatorResponse {
  const payment = state.findByReference(reference)
  return payment
    ? json({ message: 'Transaction retrieved successfully', data: statusBody(state.reported(payment)) })
    : json({ message: 'Transaction not found', data: null }, 404)
}

function statusBody(payment: ReturnType<SimulatorState['reported']>) {
  const { reference, orderId, amount, currency, status, reason, phone } = payment
  return {
    payToken: reference,
    txnid: status === 'success' ? `MP${orderId.replaceAll(/\D/g, '')}.A` : null,
    txnmode: orderId,
    // Orange's response has no currency, so a test's wrong currency becomes a wrong amount.
    amount: currency === 'XAF' ? amount : amount + 1,
    subscriberMsisdn: phone.slice(3),
    status: wordOf(status, reason),
    inittxnmessage: messages[reason] ?? (reason.includes(' ') ? reason : null),
  }
}

/** Orange says a reason as a status of its own, or as a sentence beside FAILED. */
const failureWords: Record<string, string> = { APPROVAL_REJECTED: 'CANCELLED', EXPIRED: 'EXPIRED' }
const messages: Record<string, string> = {
  NOT_ENOUGH_FUNDS: 'Le solde du compte du payeur est insuffisant.',
}

function wordOf(status: ReturnType<SimulatorState['reported']>['status'], reason: string): string {
  if (status === 'success') return 'SUCCESSFULL'
  return status === 'failed' ? (failureWords[reason] ?? 'FAILED') : 'PENDING'
}
