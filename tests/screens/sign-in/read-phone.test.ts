import { describe, expect, it } from 'vitest'
import { looksUnusual, phoneOf, readPhone, splitInternational } from '#sign-in/read-phone.ts'

describe('readPhone', () => {
  it.each([
    ['237', '6 71 23 45 67', '237', '671234567'],
    ['237', '671.23.45.67', '237', '671234567'],
    ['237', '+237 671 23 45 67', '237', '671234567'],
    ['237', '00237671234567', '237', '671234567'],
    ['237', '237671234567', '237', '671234567'],
    ['237', '+237 237 671234567', '237', '671234567'],
    ['237', '+33 6 12 34 56 78', '33', '612345678'],
    ['237', '0033612345678', '33', '612345678'],
    ['33', '06 12 34 56 78', '33', '612345678'],
    ['33', '+1 514 555 0199', '1', '5145550199'],
    ['237', 'abc', '237', 'abc'],
    ['237', '', '237', ''],
  ])('reads +%s with "%s" as +%s %s (S42)', (dialCode, number, code, subscriber) => {
    expect(readPhone({ dialCode, number })).toEqual({ dialCode: code, subscriber })
  })
})

describe('splitInternational', () => {
  it('splits an international number with another dial code, and returns any other number as it is', () => {
    expect(splitInternational({ dialCode: '237', number: '+33 6 12 34 56 78' })).toEqual({
      dialCode: '33',
      number: '612345678',
    })
    const home = { dialCode: '237', number: '6 71' }
    expect(splitInternational(home)).toBe(home)
  })
})

describe('phoneOf', () => {
  it('splits a saved number into the two field parts', () => {
    expect(phoneOf('237671234567')).toEqual({ dialCode: '237', number: '671234567' })
    expect(phoneOf(undefined)).toEqual({ dialCode: '237', number: '' })
  })
})

describe('looksUnusual', () => {
  it.each([
    ['237', '67123456', true],
    ['237', '6712345678', true],
    ['237', '671234567', false],
    ['237', '', false],
    ['33', '123456', false],
  ])('returns for +%s %s: %s', (dialCode, number, isUnusual) => {
    expect(looksUnusual({ dialCode, number })).toBe(isUnusual)
  })
})
