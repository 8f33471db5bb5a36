import { describe, expect, it } from 'vitest'
import {
  AggregatorBody,
  type AggregatorForm,
  aggregatorIssues,
  cancelPaymentFeature,
  CancelRefusal,
  CardAnswer,
  CardBody,
  cardFields,
  CardForm,
  cardPagePath,
  cardReturnPath,
  codeKind,
  isMobileMoneyNumber,
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

const form: AggregatorForm = {
  paymentMethod: 'MTN-Money',
  name: 'Awa Ngono',
  dialCode: '237',
  phone: '671234567',
  otp: '',
}

describe('the form of the aggregator (PAY12, PAY13, PAY14, PAY15, PAY16)', () => {
  const fifty = 'a'.repeat(50)
  it.each<[string, Partial<AggregatorForm>, [keyof AggregatorForm, string][]]>([
    ['complete', {}, []],
    ['without a method', { paymentMethod: ' ' }, [['paymentMethod', 'required']]],
    ['without a name', { name: ' ' }, [['name', 'required']]],
    ['with a name of 50 characters', { name: fifty }, []],
    ['with a name of 51 characters', { name: `${fifty}a` }, [['name', 'too-long-50']]],
    ['with spaces around 50 characters', { name: `  ${fifty} ` }, []],
    ['without a number', { phone: '' }, [['phone', 'required']]],
    ['with 5 digits', { phone: '67123' }, [['phone', 'phone-home']]],
    ['with 5 digits and a space', { phone: '671 23' }, [['phone', 'phone-home']]],
    ['with 6 digits', { phone: '671 234' }, []],
    ['with 12 digits', { phone: '671234567890' }, []],
    ['with 13 digits', { phone: '6712345678901' }, [['phone', 'phone-home']]],
    ['with 5 digits and no dial code', { dialCode: '', phone: '67123' }, [['phone', 'phone-home']]],
    ['with 6 digits abroad', { dialCode: '33', phone: '6123' }, [['phone', 'phone-international']]],
    ['with 7 digits abroad', { dialCode: '33', phone: '6-12-34' }, []],
    [
      'with a number that costs more',
      { dialCode: '33', phone: '899 12 34 56' },
      [['phone', 'phone-premium']],
    ],
    ['with a code that nobody asks for', { otp: '1234567890' }, []],
    ['of Orange without a code', { paymentMethod: 'Orange-Money' }, [['otp', 'required']]],
    ['of Orange with 8 characters', { paymentMethod: 'Orange-Money', otp: '12345678' }, []],
    [
      'of Orange with 9 characters',
      { paymentMethod: 'Orange-Money', otp: '123456789' },
      [['otp', 'too-long-8']],
    ],
    ['of Yoomee without a PIN', { paymentMethod: 'Yoomee-Money' }, [['otp', 'required']]],
    [
      'empty',
      { paymentMethod: '', name: '', phone: '' },
      [
        ['paymentMethod', 'required'],
        ['name', 'required'],
        ['phone', 'required'],
      ],
    ],
  ])('%s', (_, change, issues) => {
    expect(aggregatorIssues({ ...form, ...change }).map(({ field, code }) => [field, code])).toEqual(issues)
  })

  it.each([
    ['Orange-Money', 'orange'],
    ['ORANGE-MONEY', 'orange'],
    ['Yoomee-Money', 'yoomee'],
    ['MTN-Money', 'none'],
    ['', 'none'],
  ])('of %s asks for the code %s (PAY15)', (method, kind) => {
    expect(codeKind(method)).toBe(kind)
  })
})

describe('the body of an aggregator payment (S38)', () => {
  const body = { phone: '237671234567', paymentMethod: 'MTN-Money', name: 'Awa' }
  const accepts = (change: object) => AggregatorBody.safeParse({ ...body, ...change }).success
  it('has an empty code by default, and accepts null for the code and for the application id', () => {
    expect(AggregatorBody.parse(body)).toEqual({ ...body, otp: '' })
    expect([accepts({ otp: null }), accepts({ id: null }), accepts({ id: 'x' })]).toEqual([true, true, true])
  })

  it.each([
    ['phone', 30, 0],
    ['paymentMethod', 100, 1],
    ['name', 50, 1],
    ['otp', 8, 0],
  ])('takes a %s of at most %i and at least %i characters', (field, most, least) => {
    expect(accepts({ [field]: '1'.repeat(most) })).toBe(true)
    expect(accepts({ [field]: '1'.repeat(most + 1) })).toBe(false)
    expect(accepts({ [field]: '' })).toBe(least === 0)
    expect(accepts({ [field]: '1' })).toBe(true)
  })

  it('names the limit that a name and a code break', () => {
    const long = AggregatorBody.safeParse({ ...body, name: 'a'.repeat(51), otp: '123456789' })
    expect(long.error?.issues.map(({ message }) => message)).toEqual(['too-long-50', 'too-long-8'])
    // Spaces do not count, up to 200 characters in all.
    expect(accepts({ name: `a${' '.repeat(199)}` })).toBe(true)
    expect(accepts({ name: `a${' '.repeat(200)}` })).toBe(false)
  })
})

describe('a number for mobile money (PAY09, S07)', () => {
  it.each([
    ['12345678', true],
    ['1234567', false],
    ['  1234567  ', false],
    ['67 12 34', true],
    ['abcdefgh', false],
    ['+.......1', true],
  ])('%s is enough: %s', (typed, isEnough) => {
    expect(isMobileMoneyNumber(typed)).toBe(isEnough)
  })
})

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

  it('may lack the fields that only this server sends', () => {
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

  it('takes a payment code of 1 to 20 characters (PAY22)', () => {
    expect(['', '1', '1'.repeat(20), '1'.repeat(21)].map(takesCode)).toEqual([false, true, true, false])
    expect(PaymentCodeBody.parse({ otp: '1234' })).toEqual({ otp: '1234' })
  })
})

it('keeps the names that other servers, gateways and older releases know (D5, D47, D68)', () => {
  expect([paymentWaitFeature, cancelPaymentFeature]).toEqual(['paymentWait', 'cancelPayment'])
  expect([cardReturnPath, cardPagePath]).toEqual(['/pay/return', '/pay/card'])
  // Shorter than the interval of PAY27.
  expect(paymentWaitMs).toBe(12_000)
})
