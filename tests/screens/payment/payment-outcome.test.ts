import { describe, expect, it } from 'vitest'
import type { Problem } from '#api/result.ts'
import { PaymentId } from '#contract/ids.ts'
import type { Payment } from '#contract/payment.ts'
import { methodTypes } from '#contract/payment.ts'
import { cardOutcome, paymentOutcome, whitelistOutcome } from '#screens/payment/payment-outcome.ts'

const paymentId = PaymentId.parse('pay-1')

describe('where a payment that was created leads', () => {
  it.each([
    ['MOBILE', true],
    ['AGGREGATOR', true],
    ['MOCK', false],
  ] as const)(
    '%s to its result; to be confirmed in the mobile app: %s (PAY17, S37, ERR17, S64)',
    (type, confirmInApp) => {
      expect(paymentOutcome(type, created())).toEqual({ kind: 'follow', paymentId, confirmInApp })
    },
  )

  it.each(['MOBILE', 'AGGREGATOR'] as const)('%s to its code where one is needed (PAY18)', type => {
    expect(paymentOutcome(type, created({ needOtp: true }))).toEqual({ kind: 'enter-code', paymentId })
  })

  it('one made in the old system to the appointment (S11)', () => {
    expect(whitelistOutcome({ ok: true, value: {} })).toEqual({ kind: 'paid-before' })
  })
})

describe('what a refused payment says', () => {
  it.each([
    ['MOBILE', 400, 'notice.orderNotCreated'],
    ['MOBILE', 17, 'notice.orderNotCreated'],
    ['AGGREGATOR', 17, 'notice.payerName'],
    ['AGGREGATOR', 400, 'notice.serviceUnavailable'],
    ['MOCK', 409, 'notice.serviceUnavailable'],
  ] as const)('%s with statusCode %i: %s (ERR14–ERR16)', (type, statusCode, words) => {
    expect(paymentOutcome(type, refused({ statusCode }))).toEqual({ kind: 'refused', words })
  })

  it('is the plain failure for cards and the old system (ERR16)', () => {
    const expected = { kind: 'refused', words: 'notice.serviceUnavailable' }
    expect(cardOutcome('CARD', refused({ statusCode: 409 }))).toEqual(expected)
    expect(whitelistOutcome(refused({ statusCode: 409 }))).toEqual(expected)
  })

  it.each<Problem>([
    { kind: 'offline' },
    { kind: 'unreachable' },
    { ...problem({ status: 503 }), kind: 'broken' },
    problem({ status: 401 }),
    problem({ status: 403 }),
    problem({ status: 429 }),
  ])('is nothing more where the failure is everybody’s: %j', everybodys => {
    for (const type of methodTypes) {
      if (type === 'WHITELIST') continue
      expect(paymentOutcome(type, { ok: false, problem: everybodys })).toEqual({ kind: 'announced' })
    }
  })
})

function created(rest: Partial<Payment> = {}) {
  const data: Payment = {
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

type Refused = Extract<Problem, { kind: 'refused' }>

function problem(rest: Partial<Refused>): Refused {
  return {
    kind: 'refused',
    status: 400,
    statusCode: 400,
    message: undefined,
    errors: [],
    data: undefined,
    ...rest,
  }
}

function refused(rest: Partial<Refused>) {
  return { ok: false as const, problem: problem(rest) }
}
