import { getCountries, getCountryCallingCode } from 'libphonenumber-js/min'
import { describe, expect, it } from 'vitest'
import { dialCodes, listDialCodes } from '#contract/dial-codes.ts'

describe('the dial codes', () => {
  it('are all that the world has, each once, each with countries of its own (SIG01)', () => {
    const fixture = new Set<string>(getCountries().map(country => getCountryCallingCode(country)))
    expect(new Set(dialCodes.map(({ code }) => code))).toEqual(fixture)
    expect(dialCodes).toHaveLength(fixture.size)
    for (const { code, countries } of dialCodes)
      for (const country of countries)
        expect(getCountries().filter(known => getCountryCallingCode(known) === code)).toContain(country)
  })

  it('begin with Cameroon, and go on by name in the chosen language', () => {
    const french = listDialCodes('fr').map(({ label }) => label)
    expect(french[0]).toBe('Cameroun (+237)')
    expect(french[1]).toContain('Afghanistan')
    expect(french).toContain('Allemagne (+49)')
    expect(listDialCodes('en').map(({ label }) => label)).toContain('Germany (+49)')
  })
})
