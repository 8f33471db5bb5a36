import { describe, expect, it } from 'vitest'
import {
  cancelPaymentFeature,
  caseFileFeature,
  CancelRefusal,
  CardAnswer,
  CardBody,
  cardFields,
  CardForm,
  cardPagePath,
  cardReturnPath,
  isPhoneMethod,
  methodTypes,
  Payment,
  PaymentAttempt,
  PaymentCodeBody,
  PaymentMethod,
  paymentWaitFeature,
  paymentWaitMs,
  StartedPayment,
} from '#contract/payment.ts'

describe('a method of payment', () => {
  it('is one of seven types, two of which the payer approves on a phone (PAY04)', () => {
    expect(methodTypes).toEqual(['MOBILE', 'CARD_UBA', 'CARD', 'BACM', 'AGGREGATOR', 'MOCK', 'WHITELIST'])
    expect(methodTypes.filter(isPhoneMethod)).toEqual(['MOBILE', 'AGGREGATOR'])
  })

  it('is read from both forms of the list, and is off unless it says otherwise (PAY04, S38, S39)', () => {
    const read = PaymentMethod.parse({
      type: 'NEWEST',
      fee: 110_000,
      currency: 'XAF',
      methods: ['Orange-Money', { name: 'MTN-Money' }],
    })
    expect(read).toEqual({
      type: 'NEWEST',
      enable: false,
      fee: 110_000,
      currency: 'XAF',
      methods: ['Orange-Money', 'MTN-Money'],
    })
    expect(PaymentMethod.parse({ type: 'MOCK', enable: true, fee: 1, currency: 'XAF' })).toEqual({
      type: 'MOCK',
      enable: true,
      fee: 1,
      currency: 'XAF',
      methods: [],
    })
    for (const fee of ['110000', undefined])
      expect(PaymentMethod.safeParse({ type: 'MOCK', fee, currency: 'XAF' }).success).toBe(false)
    expect(PaymentMethod.safeParse({ type: 'MOCK', fee: 1, currency: 'XAF', methods: [{}] }).success).toBe(
      false,
    )
  })
})

const id = '0199c0de-0000-7000-8000-000000000001'
const payment = { id, paymentStatus: 'SUCCESS', amount: 110_000, currency: 'XAF' }

describe('an answer about a payment', () => {
  it.each([
    ['SUCCESS', 'SUCCESS'],
    ['ERROR', 'ERROR'],
    ['IN_PROGRESS', 'IN_PROGRESS'],
    ['REVERSED', 'ERROR'],
    ['', 'ERROR'],
  ])('with the status %s counts as %s (PAY27)', (sent, status) => {
    expect(Payment.parse({ ...payment, paymentStatus: sent }).paymentStatus).toBe(status)
  })

  it('may lack every field but id, status, amount and currency', () => {
    expect(Payment.parse(payment)).toEqual({ ...payment, orderId: '', needOtp: false, phoneNumber: '' })
    const full = {
      ...payment,
      orderId: 'PO-1',
      needOtp: true,
      phoneNumber: '237671234567',
      methodType: 'MOBILE',
      failure: 'expired',
      mayWait: true,
    }
    expect(Payment.parse(full)).toEqual(full)
    expect(Payment.safeParse({ ...payment, amount: '110000' }).success).toBe(false)
    expect(Payment.safeParse({ ...payment, id: '' }).success).toBe(false)
    expect(Payment.safeParse({ ...payment, methodType: 'CASH' }).success).toBe(false)
  })

  it.each([undefined, null, ''])('to a start has no order when its id is %o (ERR14, ERR16, S37)', none => {
    expect(StartedPayment.parse({ ...payment, id: none }).id).toBe('')
    const { id: startedId, paymentStatus } = StartedPayment.parse({ id })
    expect([startedId, paymentStatus]).toEqual([id, 'IN_PROGRESS'])
    expect(StartedPayment.parse({ ...payment, isExisting: true })).toMatchObject({ id, isExisting: true })
  })

  it('reads an attempt of the case file with its states and its next step (F1)', () => {
    const states = ['IN_PROGRESS', 'SUCCESS', 'ERROR', 'REFUND_DUE', 'REFUNDED']
    const steps = [
      'waiting-for-approval',
      'waiting-for-code',
      'waiting-for-card',
      'asking-operator',
      'nothing-taken',
      'canceled',
      'paid',
      'refund-due',
      'refunded',
      'ask-help',
    ]
    const attempt = {
      id,
      orderNumber: 'PO-1',
      methodType: 'MOBILE',
      method: 'Orange Money',
      createdAt: '2026-01-05T10:00:00Z',
      updatedAt: '2026-01-05T10:00:00Z',
      amount: 110_000,
      currency: 'XAF',
      operatorReference: '',
      nextAt: null,
    }
    for (const state of states)
      for (const next of steps) {
        const sent = { ...attempt, state, next, history: [{ state, at: attempt.createdAt }] }
        expect(PaymentAttempt.parse(sent)).toEqual(sent)
      }
    expect(PaymentAttempt.safeParse({ ...attempt, state: '', next: 'paid', history: [] }).success).toBe(false)
  })

  it('names one of three reasons when an order cannot be canceled (D47)', () => {
    const refusal = { tryAgainAt: '2026-01-05T10:00:00Z', until: '2026-01-06T10:00:00Z' }
    const accepts = (why: string) => CancelRefusal.safeParse({ ...refusal, why }).success
    expect(['in-progress', 'no-answer', 'just-sent', ''].map(accepts)).toEqual([true, true, true, false])
    expect(CancelRefusal.parse({ ...refusal, why: 'no-answer' })).toEqual({ ...refusal, why: 'no-answer' })
  })
})

const takesCard = (body: object) => CardBody.safeParse(body).success
const takesCode = (otp: string) => PaymentCodeBody.safeParse({ otp }).success

describe('a card payment', () => {
  it('has exactly the hidden fields of the specification (PAY21)', () => {
    expect(cardFields.join(' ')).toBe(
      'payment_url signature cpm_trans_id cpm_amount cpm_currency apikey cpm_site_id cpm_trans_date ' +
        'cpm_payment_config cpm_page_action cpm_version cpm_language cpm_designation notify_url return_url ' +
        'cancel_url refusal_url',
    )
    const fields = Object.fromEntries(cardFields.map(name => [name, 'x']))
    expect(CardForm.parse(fields)).toEqual(fields)
    expect(CardForm.safeParse({ ...fields, password: 'x' }).success).toBe(false)
  })

  it('is answered with a page or a form (S12)', () => {
    const answer = { status: 'Success', data: '<html></html>', paymentId: id, page: '/pay/card/x' }
    expect(CardAnswer.parse(answer)).toEqual(answer)
    const form = Object.fromEntries(cardFields.map(name => [name, 'x']))
    expect(CardAnswer.parse({ ...answer, data: form })).toEqual({ ...answer, data: form })
    expect(CardAnswer.parse({ status: 'Success', data: '' })).toEqual({ status: 'Success', data: '' })
    expect(CardAnswer.safeParse({ status: 'Failed', data: '' }).success).toBe(false)
  })

  it('names one of two gateways, or none (S39)', () => {
    expect(CardBody.parse({})).toEqual({ returnUrl: '' })
    for (const method of ['CARD', 'BACM'])
      expect(CardBody.parse({ method })).toEqual({ returnUrl: '', method })
    expect(takesCard({ method: 'CARD_UBA' })).toBe(false)
    expect([
      takesCard({ returnUrl: 'x'.repeat(2_000) }),
      takesCard({ returnUrl: 'x'.repeat(2_001) }),
    ]).toEqual([true, false])
  })
})

it('the one-time code of a payment has 1 to 20 characters (PAY22)', () => {
  expect(['', '1', '1'.repeat(20), '1'.repeat(21)].map(takesCode)).toEqual([false, true, true, false])
  expect(PaymentCodeBody.parse({ otp: '1234' })).toEqual({ otp: '1234' })
})

it('keeps the names that other servers, gateways and older releases know, and the time of a held poll (D5, D47, D68)', () => {
  const features = [paymentWaitFeature, cancelPaymentFeature, caseFileFeature]
  expect(features).toEqual(['paymentWait', 'cancelPayment', 'caseFile'])
  expect([cardReturnPath, cardPagePath]).toEqual(['/pay/return', '/pay/card'])
  // Shorter than the interval of PAY27.
  expect(paymentWaitMs).toBe(12_000)
})
