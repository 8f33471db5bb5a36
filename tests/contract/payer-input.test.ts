import { describe, expect, it } from 'vitest'
import {
  AggregatorBody,
  type AggregatorForm,
  aggregatorIssues,
  codeKind,
  isMobileMoneyNumber,
} from '#contract/payer-input.ts'

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
    [
      'with 6 digits abroad, the dial code included',
      { dialCode: '33', phone: '6123' },
      [['phone', 'phone-international']],
    ],
    ['with 7 digits abroad, the dial code included', { dialCode: '33', phone: '6-12-34' }, []],
    [
      'with a number that costs more',
      { dialCode: '33', phone: '899 12 34 56' },
      [['phone', 'phone-premium']],
    ],
    ['with a code that its method does not need', { otp: '1234567890' }, []],
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
