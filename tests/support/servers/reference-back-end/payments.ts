import { type Answer, type Call, failureWithCode, inData, notFound, type Route, textOf } from './call.ts'
import type { Application } from './applications.ts'

type Payment = {
  id: number
  orderId: string
  paymentStatus: 'SUCCESS' | 'ERROR' | 'IN_PROGRESS'
  amount: number
  currency: string
  needOtp: boolean
  phoneNumber: string
}
type StoredPayment = { application: Application; payment: Payment; otp: string }

const fee = { fee: 110_000, currency: 'XAF' }
const methods = [
  { type: 'MOBILE', enable: true, ...fee },
  { type: 'CARD_UBA', enable: true, ...fee },
  { type: 'CARD', enable: true, ...fee },
  { type: 'BACM', enable: false, ...fee },
  { type: 'AGGREGATOR', enable: true, ...fee, methods: ['Orange-Money', 'Yoomee-Money'] },
  { type: 'MOCK', enable: false, ...fee },
]
/** A mobile or aggregator payment from a number with these last digits needs a one-time code. */
const endOfNumberWithCode = '77'

type Parts = {
  findOwn: (call: Call, id: unknown) => Application | undefined
  /** Returns the HTML page of a card payment. */
  cardPage: (order: CardOrder) => string
}
/** `method`: the payment method of the call that started the order. The form of each method has its own fields. */
export type CardOrder = {
  orderId: string
  amount: number
  currency: string
  returnUrl: string
  method: 'CARD' | 'CARD_UBA'
}

/** The payment calls, as §7 of the specification describes them. */
export function createPayments({ findOwn, cardPage }: Parts) {
  const all = new Map<number, StoredPayment>()

  /** Opens an order of the caller's application. Undefined when the caller has no such application. */
  function open(call: Call, { phoneNumber = '', needOtp = false } = {}): StoredPayment | undefined {
    const application = findOwn(call, call.query.get('applicationId'))
    if (!application) return undefined
    const id = 9_000 + all.size
    const payment: Payment = {
      id,
      orderId: `ORDER-${id}`,
      paymentStatus: 'IN_PROGRESS',
      amount: fee.fee,
      currency: fee.currency,
      needOtp,
      phoneNumber,
    }
    const stored = { application, payment, otp: needOtp ? '4821' : '' }
    all.set(id, stored)
    return stored
  }

  function startPayment(call: Call, phone: string): Answer {
    if (!/^\d{8,}$/.test(phone)) return failureWithCode(400)
    const opened = open(call, { phoneNumber: phone, needOtp: phone.endsWith(endOfNumberWithCode) })
    return opened ? inData(opened.payment) : notFound
  }

  function startCard(call: Call, method: CardOrder['method']): Answer {
    const opened = open(call)
    if (!opened) return notFound
    const { orderId, amount, currency } = opened.payment
    const page = cardPage({ orderId, amount, currency, returnUrl: textOf(call.body['returnUrl']), method })
    return { json: { status: 'Success', data: page } }
  }

  function startPaid(call: Call): Answer {
    const opened = open(call)
    if (!opened) return notFound
    succeed(opened)
    return inData(opened.payment)
  }

  function confirm({ params, body, applicantId }: Call): Answer {
    const stored = all.get(Number(params['id']))
    if (stored?.application.applicantId !== applicantId || !stored) return notFound
    if (textOf(body['otp']) !== stored.otp) return failureWithCode(1, 'The code is wrong')
    stored.payment.needOtp = false
    return {}
  }

  /**
   * A payer with a phone approves while the portal waits, so the first poll finds a success; when the payment needs a
   * code, the first poll after the code.
   */
  function read(call: Call): Answer {
    const stored = all.get(Number(call.params['id']))
    if (!stored || findOwn(call, call.query.get('applicationId')) !== stored.application) return notFound
    const { payment } = stored
    if (payment.paymentStatus === 'IN_PROGRESS' && payment.phoneNumber !== '' && !payment.needOtp)
      succeed(stored)
    return inData(payment)
  }

  /** The newest payment first. `lastSuccess` (API34) leaves out the payments without success, and no other. */
  function list(call: Call): Answer {
    const application = findOwn(call, call.query.get('applicationId'))
    if (!application) return notFound
    const own = [...all.values()].filter(each => each.application === application).map(each => each.payment)
    const shown = own.filter(
      each => call.query.get('lastSuccess') !== 'true' || each.paymentStatus === 'SUCCESS',
    )
    return inData(shown.toReversed())
  }

  const routes: Route[] = [
    {
      method: 'POST',
      path: '/payments/mobile-payment-init',
      handler: call => startPayment(call, call.query.get('phone') ?? ''),
    },
    {
      method: 'POST',
      path: '/payments/aggregator-payment-init',
      fields: ['phone', 'paymentMethod', 'name', 'otp', 'id'],
      handler: call => startPayment(call, textOf(call.body['phone'])),
    },
    {
      method: 'POST',
      path: '/payments/card-payment-init',
      fields: ['returnUrl'],
      handler: call => startCard(call, 'CARD'),
    },
    {
      method: 'POST',
      path: '/payments/uba-payment-init',
      fields: ['returnUrl'],
      handler: call => startCard(call, 'CARD_UBA'),
    },
    { method: 'POST', path: '/payments/mock-payment-init', handler: startPaid },
    { method: 'POST', path: '/payments/whitelist-payment-init', handler: startPaid },
    { method: 'POST', path: '/payments/{id}/confirm', fields: ['otp'], handler: confirm },
    { method: 'GET', path: '/payments/payment-methods', handler: () => inData(methods) },
    { method: 'GET', path: '/payments', handler: list },
    { method: 'GET', path: '/payments/{id}', handler: read },
  ]

  return {
    routes,
    /** The code that the operator sends to the payer of the newest payment; '' when it needs none. */
    newestCode: () => [...all.values()].at(-1)?.otp ?? '',
    /** The card gateway reports a payment. */
    recordCardPayment(orderId: string) {
      const stored = [...all.values()].find(({ payment }) => payment.orderId === orderId)
      if (stored) succeed(stored)
    },
  }
}

function succeed({ application, payment }: StoredPayment): void {
  payment.paymentStatus = 'SUCCESS'
  if (application.currentState === 'DATA_SAVED') application.currentState = 'PAYMENT_DONE'
}
