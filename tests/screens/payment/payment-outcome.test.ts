// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import type { Problem } from '#api/result.ts'
import { type Refused, refusedProblem } from '#support/data/refused-problem.ts'
import { PaymentId } from '#contract/ids.ts'
import type { StartedPayment } from '#contract/payment.ts'
import { methodTypes } from '#contract/payment.ts'
import { hostileAddresses, ownOrigin } from '#support/data/hostile-addresses.ts'
import { cardPage, gateway, hostileCardPages } from '#support/data/hostile-card-pages.ts'
import { cardOutcome, paymentOutcome, whitelistOutcome } from '#screens/payment/payment-outcome.ts'

const paymentId = PaymentId.parse('pay-1')
const origins = { gateways: [gateway], own: [ownOrigin] }

describe('the outcome of a created payment', () => {
  it.each([
    ['MOBILE', true],
    ['AGGREGATOR', true],
    ['MOCK', false],
  ] as const)(
    'opens the result of %s; asks the payer to confirm in the mobile app: %s (PAY17, S37, ERR17, S64)',
    (type, confirmInApp) => {
      const started = created()
      const payment = confirmInApp ? started.value.data : undefined
      const follow = { kind: 'follow', paymentId, confirmInApp, payment }
      expect(paymentOutcome(type, started)).toEqual(follow)
    },
  )

  it.each(['SUCCESS', 'ERROR'] as const)(
    'asks for no confirmation when the payment has ended: %s',
    status => {
      const ended = paymentOutcome('MOBILE', created({ paymentStatus: status }))
      expect(ended).toEqual({ kind: 'follow', paymentId, confirmInApp: false })
    },
  )

  it.each(['MOBILE', 'AGGREGATOR'] as const)(
    'asks for the code of %s when the server needs one (PAY18)',
    type => {
      expect(paymentOutcome(type, created({ needOtp: true }))).toEqual({ kind: 'enter-code', paymentId })
    },
  )

  it.each([
    ['MOBILE', { methodType: 'CARD' }],
    ['MOBILE', { methodType: 'MOBILE', phoneNumber: '237671234567' }],
    ['MOBILE', { methodType: 'MOBILE', phoneNumber: '237677000000' }],
    ['MOBILE', { methodType: 'AGGREGATOR', needOtp: true, phoneNumber: '237671234567' }],
    ['AGGREGATOR', { methodType: 'MOBILE' }],
    ['MOCK', { methodType: 'MOBILE' }],
  ] as const)(
    'says that a payment is open already when Pay by %s gets an existing order: %j (ERR17, PAY17)',
    (type, order) => {
      const existing = created({ isExisting: true, ...order })
      expect(paymentOutcome(type, existing, '237671234567')).toEqual({ kind: 'paying-already', paymentId })
    },
  )

  it('asks for the code of an existing order that has the same method and phone number (PAY18)', () => {
    const order = { methodType: 'AGGREGATOR', needOtp: true, phoneNumber: '237671234567' } as const
    const outcome = paymentOutcome('AGGREGATOR', created({ isExisting: true, ...order }), '237671234567')
    expect(outcome).toEqual({ kind: 'enter-code', paymentId })
  })

  it('asks for the code of an existing order when neither order has a phone number', () => {
    const order = { methodType: 'AGGREGATOR', needOtp: true } as const
    const outcome = paymentOutcome('AGGREGATOR', created({ isExisting: true, ...order }))
    expect(outcome).toEqual({ kind: 'enter-code', paymentId })
  })

  it('says that the applicant has paid before, in the old system (S11)', () => {
    expect(whitelistOutcome({ ok: true, value: {} })).toEqual({ kind: 'paid-before' })
  })

  it('counts as failed when it has no id (ERR14, ERR16, S37)', () => {
    expect(paymentOutcome('MOBILE', created({ id: '' }))).toEqual({
      kind: 'refused',
      messageKey: 'notice.orderNotCreated',
    })
    expect(paymentOutcome('MOCK', created({ id: '' }))).toEqual({
      kind: 'refused',
      messageKey: 'notice.serviceUnavailable',
    })
  })
})

describe('the outcome of a card payment', () => {
  const [[, hostile] = []] = hostileCardPages

  it('has the form of the card page (PAY19)', () => {
    expect(answered({ data: cardPage(), page: '/pay/card?ticket=1' })).toMatchObject({
      kind: 'card',
      paymentId,
    })
  })

  it('leaves for the card page of the server when the portal refuses the form', () => {
    const page = '/pay/card?ticket=0a-_1'
    expect(answered({ data: hostile ?? '', page })).toEqual({ kind: 'leave', page, paymentId })
  })

  it('is a failure that names the gateway when the server does not list it (D67)', () => {
    expect(answered({ data: cardPage({ action: 'https://bank.example/pay' }) })).toEqual({
      kind: 'refused',
      messageKey: 'notice.cardOrigin',
      values: { origin: 'https://bank.example' },
    })
  })

  it('is a failure when no card page of the server is named, and for every other address', () => {
    const failure = { kind: 'refused', messageKey: 'notice.serviceUnavailable' }
    expect(answered({ data: '' })).toEqual(failure)
    const others = [
      '/pay/other',
      '/pay/cards',
      '/pay/card/../../x',
      '/pay/card?a=//b',
      '//pay/card?1',
      '/pay/card?a#b',
    ]
    for (const page of [...hostileAddresses, ...others])
      expect(answered({ data: '', page }), page).toEqual(failure)
  })
})

describe('a payment that the server refuses for now', () => {
  it('shows the payment that the server names as open or successful', () => {
    const result = refused({ statusCode: 409, reason: 'payment-open', data: { paymentId: 'pay-7' } })
    expect(paymentOutcome('MOBILE', result)).toEqual({ kind: 'paying-already', paymentId: 'pay-7' })
    expect(cardOutcome('CARD', result, origins)).toEqual({ kind: 'paying-already', paymentId: 'pay-7' })
  })

  it.each([undefined, null, 'pay-7', {}, { paymentId: '' }])(
    'shows the general failure when the server names no open payment: %j',
    data => {
      const result = refused({ statusCode: 409, reason: 'payment-open', data })
      expect(paymentOutcome('MOCK', result)).toEqual({
        kind: 'refused',
        messageKey: 'notice.serviceUnavailable',
      })
    },
  )

  it.each([
    [{ seconds: 41.2 }, 42],
    [{ seconds: 0 }, 0],
    [{ seconds: -0.1 }, 60],
    [{ seconds: -1 }, 60],
    [{ seconds: 3_600 }, 3_600],
    [{ seconds: 3_600.5 }, 60],
    [null, 60],
    [{ seconds: 'long' }, 60],
    [undefined, 60],
  ])('says for how many seconds the server refuses another payment, 60 by default: %j', (data, seconds) => {
    const result = refused({ statusCode: 409, reason: 'payment-too-soon', data })
    expect(paymentOutcome('MOBILE', result)).toEqual({ kind: 'too-soon', seconds })
  })
})

describe('the message of a refused payment', () => {
  it('says that the application has had too many orders, for every method (D97)', () => {
    const expected = { kind: 'refused', messageKey: 'notice.paymentAttempts' }
    const result = refused({ statusCode: 409, reason: 'payment-attempts' })
    expect(paymentOutcome('MOBILE', result)).toEqual(expected)
    expect(paymentOutcome('AGGREGATOR', result)).toEqual(expected)
    expect(paymentOutcome('MOCK', result)).toEqual(expected)
    expect(cardOutcome('CARD', result, origins)).toEqual(expected)
    expect(whitelistOutcome(result)).toEqual(expected)
  })

  it('says that this number has had too many orders (D97)', () => {
    const result = refused({ statusCode: 409, reason: 'payment-number-attempts' })
    expect(paymentOutcome('AGGREGATOR', result)).toEqual({
      kind: 'refused',
      messageKey: 'notice.paymentNumberAttempts',
    })
  })

  it('speaks of the state, not of the number that pays, when the application cannot be paid now, for every method (D129)', () => {
    const result = refused({ status: 409, statusCode: 409, reason: 'wrong-state' })
    expect(paymentOutcome('MOBILE', result)).toEqual({ kind: 'wrong-state' })
    expect(paymentOutcome('AGGREGATOR', result)).toEqual({ kind: 'wrong-state' })
    expect(paymentOutcome('MOCK', result)).toEqual({ kind: 'wrong-state' })
    expect(cardOutcome('CARD', result, origins)).toEqual({ kind: 'wrong-state' })
    expect(whitelistOutcome(result)).toEqual({ kind: 'wrong-state' })
  })

  it.each([
    ['MOBILE', 400, 'notice.orderNotCreated'],
    ['MOBILE', 17, 'notice.orderNotCreated'],
    ['AGGREGATOR', 17, 'notice.payerName'],
    ['AGGREGATOR', 400, 'notice.serviceUnavailable'],
    ['MOCK', 409, 'notice.serviceUnavailable'],
  ] as const)('%s with statusCode %i: %s (ERR14–ERR16)', (type, statusCode, messageKey) => {
    expect(paymentOutcome(type, refused({ statusCode }))).toEqual({ kind: 'refused', messageKey })
  })

  it('is the general failure for cards and the old system (ERR16)', () => {
    const expected = { kind: 'refused', messageKey: 'notice.serviceUnavailable' }
    expect(cardOutcome('CARD', refused({ statusCode: 409 }), origins)).toEqual(expected)
    expect(whitelistOutcome(refused({ statusCode: 409 }))).toEqual(expected)
  })

  it.each<Problem>([
    { kind: 'offline' },
    { kind: 'unreachable', cause: 'no-answer' },
    { ...refusedProblem({ status: 503 }), kind: 'broken' },
    refusedProblem({ status: 401 }),
    refusedProblem({ status: 403 }),
    refusedProblem({ status: 429 }),
  ])('adds no notice when the notice for all calls was raised: %j', known => {
    for (const type of methodTypes) {
      if (type === 'WHITELIST') continue
      expect(paymentOutcome(type, { ok: false, problem: known })).toEqual({ kind: 'announced' })
    }
  })
})

function answered(answer: { data: string; page?: string }) {
  return cardOutcome('CARD', { ok: true, value: { status: 'Success', paymentId, ...answer } }, origins)
}

function created(rest: Partial<StartedPayment> = {}) {
  const data: StartedPayment = {
    id: paymentId,
    orderId: 'PO-1',
    paymentStatus: 'IN_PROGRESS',
    amount: 110_000,
    currency: 'XAF',
    needOtp: false,
    phoneNumber: '',
    ...rest,
  }
  return { ok: true as const, value: { data } }
}

function refused(rest: Partial<Refused>) {
  return { ok: false as const, problem: refusedProblem(rest) }
}
