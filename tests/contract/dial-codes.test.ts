import { getCountries, getCountryCallingCode } from 'libphonenumber-js/min'
import { describe, expect, it } from 'vitest'
import { dialCodes, listCommonDialCodes, listDialCodes } from '#contract/dial-codes.ts'

describe('dialCodes', () => {
  it('contains every dial code of the world once, only with countries that have it (SIG01)', () => {
    const expected = new Set<string>(getCountries().map(country => getCountryCallingCode(country)))
    expect(new Set(dialCodes.map(({ code }) => code))).toEqual(expected)
    expect(dialCodes).toHaveLength(expected.size)
    for (const { code, countries } of dialCodes)
      for (const country of countries)
        expect(getCountries().filter(known => getCountryCallingCode(known) === code)).toContain(country)
  })

  it('are listed with Cameroon first, then by name in the chosen language', () => {
    const french = listDialCodes('fr').map(({ label }) => label)
    expect(french[0]).toBe('Cameroun (+237)')
    expect(french[1]).toContain('Afghanistan')
    expect(french).toContain('Allemagne (+49)')
    expect(listDialCodes('en').map(({ label }) => label)).toContain('Germany (+49)')
  })
  it.each(['fr', 'en'] as const)(
    'that most applicants need are in the order of the whole list, in %s',
    language => {
      const common = listCommonDialCodes(language)
      const values = common.map(({ value }) => value)
      expect(common).toEqual(listDialCodes(language).filter(({ value }) => values.includes(value)))
      expect(values[0]).toBe('237')
      // A typing error in a code would leave it out.
      expect(values).toHaveLength(21)
    },
  )
})
