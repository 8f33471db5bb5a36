import { getExampleNumber, isSupportedCountry } from 'libphonenumber-js/max'
import examples from 'libphonenumber-js/mobile/examples'
import { describe, expect, it } from 'vitest'
import { dialCodes } from '#contract/dial-codes.ts'
import { formatSubscriberNumber } from '#contract/phone-groups.ts'

describe('formatSubscriberNumber', () => {
  it.each([
    ['237', '671234567', '6 71 23 45 67'],
    ['237', '222123456', '2 22 12 34 56'],
    ['237', '67123', '67123'],
    ['237', '671234', '67 12 34'],
    ['237', '67123456', '6712 3456'],
    ['237', '671234567890', '671 234 567 890'],
    ['33', '612345678', '6 12 34 56 78'],
    ['1', '4165550123', '416 555 0123'],
    ['234', '8021234567', '802 123 4567'],
    ['241', '06031234', '06 03 12 34'],
    ['49', '15123456789', '1512 3456789'],
    ['39', '3123456789', '312 345 6789'],
    ['44', '7400123456', '7400 123456'],
    ['999', '1', '1'],
    ['999', '1234', '1234'],
    ['999', '1234567890123', '123 456 789 0123'],
    ['999', '12345678901234', '123 456 789 012 34'],
    ['', '671234567', '671 234 567'],
  ])('formats +%s %s as %s', (dialCode, digits, shown) => {
    expect(formatSubscriberNumber(dialCode, digits)).toBe(shown)
  })

  it.each(['', ' ', '6 71', '67x', '+237', '٦٧'])(
    'returns the text unchanged when it is empty or has other characters than the digits 0 to 9: %j',
    typed => {
      expect(formatSubscriberNumber('237', typed)).toBe(typed)
    },
  )

  it('groups the example of a mobile number like libphonenumber, for the main country of every dial code', () => {
    const shown = dialCodes.flatMap(({ code, countries: [country] }) => {
      const known = country !== undefined && isSupportedCountry(country)
      const example = known && getExampleNumber(country, examples)
      return example ? [[code, formatSubscriberNumber(code, example.nationalNumber), groupsOf(example)]] : []
    })
    expect(shown).toHaveLength(dialCodes.length)
    for (const [code, actual, expected] of shown) expect([code, actual]).toEqual([code, expected])
  })

  it('keeps every digit of a number of 1 to 15 digits, for every dial code', () => {
    for (const { code } of dialCodes)
      for (let count = 1; count <= 15; count += 1) {
        const digits = '123456789012345'.slice(0, count)
        expect(formatSubscriberNumber(code, digits).replaceAll(' ', '')).toBe(digits)
      }
  })
})

function groupsOf(example: { countryCallingCode: string; formatInternational(): string }): string {
  return example
    .formatInternational()
    .slice(example.countryCallingCode.length + 1)
    .replaceAll('-', ' ')
    .trim()
}
