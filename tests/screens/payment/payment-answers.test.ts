import { describe, expect, it } from 'vitest'
import {
  aggregatorBody,
  findIssues,
  noAnswers,
  payerNumber,
  type PaymentAnswers,
} from '#screens/payment/payment-answers.ts'

const mobile: PaymentAnswers = { ...noAnswers, type: 'MOBILE', phone: '6 71 23 45 67' }
const aggregator: PaymentAnswers = {
  ...noAnswers,
  type: 'AGGREGATOR',
  paymentMethod: 'MTN-Money',
  name: 'Jean Mballa',
  phone: '671234567',
}

describe('findIssues', () => {
  it('reports a missing method (PAY07)', () => {
    expect(findIssues(noAnswers)).toEqual([{ field: 'type', code: 'method-needed' }])
  })

  it.each(['CARD', 'CARD_UBA', 'BACM', 'MOCK'] as const)(
    'reports nothing for %s, which has no fields',
    type => {
      expect(findIssues({ ...noAnswers, type })).toEqual([])
    },
  )

  it.each([
    ['', ['phone not-valid']],
    ['6712345', ['phone not-valid']],
    ['67123456', []],
    ['671 2345', []],
    ['+237 671 23 45 67', []],
  ])('checks the mobile money number %j: %j (PAY09, S07)', (phone, expected) => {
    expect(issuesOf({ ...mobile, phone })).toEqual(expected)
  })

  it.each<[Partial<PaymentAnswers>, string[]]>([
    [{}, []],
    [{ paymentMethod: '' }, ['paymentMethod required']],
    [{ name: '  ' }, ['name required']],
    [{ name: 'é'.repeat(50) }, []],
    [{ name: 'é'.repeat(51) }, ['name too-long-50']],
    [{ phone: '' }, ['phone required']],
    [{ phone: '12345' }, ['phone phone-home']],
    [{ phone: '123456' }, []],
    // With another country's code at least seven digits, those of the code included (PAY14).
    [{ dialCode: '33', phone: '1234' }, ['phone phone-international']],
    [{ dialCode: '33', phone: '12345' }, []],
    [{ paymentMethod: 'Orange-Money' }, ['otp required']],
    [{ paymentMethod: 'orange-money' }, ['otp required']],
    [{ paymentMethod: 'orange-money', otp: '12345678' }, []],
    [{ paymentMethod: 'Yoomee-Money', otp: '123456789' }, ['otp too-long-8']],
    [{ otp: '123456789' }, []],
    [
      { paymentMethod: '', name: '', phone: '' },
      ['paymentMethod required', 'name required', 'phone required'],
    ],
  ])('checks the aggregator answers %j: %j (PAY12–PAY16)', (answers, expected) => {
    expect(issuesOf({ ...aggregator, ...answers })).toEqual(expected)
  })
})

describe('the body of a payment request', () => {
  it.each([
    ['237', '6 71-23 45 67', '237671234567'],
    ['237', '+237 671 23 45 67', '237671234567'],
    ['33', '06 12 34 56 78', '33612345678'],
  ])(
    'contains digits only, country code first: +%s and %j give %s (PAY10, S42)',
    (dialCode, phone, expected) => {
      expect(payerNumber({ ...mobile, dialCode, phone })).toBe(expected)
    },
  )

  it('contains a normalised name, and a code only for an operator that asks for one (PAY13, PAY15, S38)', () => {
    const answers = { ...aggregator, name: '  Jean   Mballa ', otp: '1234' }
    expect(aggregatorBody(answers, 'app-1')).toEqual({
      phone: '237671234567',
      paymentMethod: 'MTN-Money',
      name: 'Jean Mballa',
      otp: '',
      id: 'app-1',
    })
    expect(aggregatorBody({ ...answers, paymentMethod: 'Yoomee-Money' }, 'app-1').otp).toBe('1234')
  })
})

function issuesOf(answers: PaymentAnswers): string[] {
  return findIssues(answers).map(({ field, code }) => `${field} ${code}`)
}
