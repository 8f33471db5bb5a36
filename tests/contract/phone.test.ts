import { describe, expect, it } from 'vitest'
import { formatPhone, isSignInNumber, phoneIssue, splitMsisdn, normaliseSubscriber } from '#contract/phone.ts'

const digits = (count: number) => '6'.repeat(count)

describe('a phone number', () => {
  it.each([
    ['237', 4, false],
    ['237', 5, true],
    ['237', 12, true],
    ['237', 13, false],
    ['33', 3, false],
    ['33', 4, true],
    ['33', 13, true],
    ['33', 14, false],
    ['1', 4, false],
    ['1', 5, true],
  ])('with code %s and %i digits is enough to sign in: %s (SIG03, SIG04, S06)', (code, count, enough) => {
    expect(isSignInNumber(code, digits(count))).toBe(enough)
  })

  it.each(['', '6712 3456', 'x671234', '671234x', '671-234'])(
    'is no number to sign in: %s (SIG03)',
    typed => {
      expect(isSignInNumber('237', typed)).toBe(false)
    },
  )

  it.each([
    ['237', 5, 'phone-home'],
    ['237', 6, undefined],
    ['237', 12, undefined],
    ['237', 13, 'phone-home'],
    ['33', 4, 'phone-international'],
    ['33', 5, undefined],
    ['33', 13, undefined],
    ['33', 14, 'phone-international'],
  ])('with code %s and %i digits has the issue %s (PER11, PER12, LIM02, LIM03)', (code, count, issue) => {
    expect(phoneIssue(code, digits(count))).toBe(issue)
  })

  it.each([
    ['237671234567', '+237 6 71 23 45 67'],
    ['23767123456', '+23767123456'],
    ['2376712345678', '+2376712345678'],
    ['1237671234567', '+1237671234567'],
    ['33612345678', '+33612345678'],
    ['', ''],
  ])('%s is shown as %s', (msisdn, shown) => {
    expect(formatPhone(msisdn)).toBe(shown)
  })

  it.each([
    ['237671234567', '237', '671234567'],
    ['2421234567', '242', '1234567'],
    ['2012345678', '20', '12345678'],
    ['999123', '237', '999123'],
    ['', '237', ''],
  ])('%s has the code %s and the digits %s', (msisdn, dialCode, subscriber) => {
    expect(splitMsisdn(msisdn, ['2', '20', '242', '237', '33'])).toEqual({ dialCode, subscriber })
  })

  it.each(['39', '225', '226', '229', '242', '378', '992'])('with code %s keeps its leading zero', code => {
    expect(normaliseSubscriber(code, '0612345678')).toBe('0612345678')
    expect(normaliseSubscriber(code, `+${code} 0612345678`)).toBe('0612345678')
    expect(normaliseSubscriber(code, `00${code}0612345678`)).toBe('0612345678')
  })

  it.each([
    ['33', '0033612345678', '612345678'],
    // 00, the prefix of international calls, is removed also without the code behind it.
    ['33', '00612345678', '612345678'],
    ['225', '00612345678', '612345678'],
    ['33', '336123456', '336123456'],
    // A plus sign behind a digit is only a separator.
    ['33', '6123+456', '6123456'],
    ['33', '33+6123456', '336123456'],
    ['33', ' (+33) 6123456', '6123456'],
    // Without + or 00, 237 is the dial code only in a text of more than nine digits.
    ['237', '237671234', '237671234'],
    ['237', '2376712345', '6712345'],
    ['237', '+237671234', '671234'],
    ['237', '+671234567', '671234567'],
    ['33', '610203040', '610203040'],
    ['237', '670010203', '670010203'],
    ['237', '0', '0'],
    ['237', '', ''],
  ])('with code %s, typed as %s, becomes %s (S42)', (code, typed, read) => {
    expect(normaliseSubscriber(code, typed)).toBe(read)
  })
})
