import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import examples from 'libphonenumber-js/mobile/examples'
import { getCountries, getCountryCallingCode } from 'libphonenumber-js/max'
import { describe, expect, it } from 'vitest'
import { knownDialCodes } from '#contract/dial-codes.ts'
import { isPremiumNumber } from '#contract/premium-numbers.ts'
import { createRandomSource } from '#support/random-source.ts'

const premiumTypes = ['PREMIUM_RATE', 'SHARED_COST']

describe('premium numbers (D109)', () => {
  it('are those that libphonenumber knows, and no number of another kind, among the valid ones of 60,000 random numbers', () => {
    const random = createRandomSource(109)
    const differences: string[] = []
    let found = 0
    for (let round = 0; round < 60_000; round += 1) {
      const dialCode = random.pick(knownDialCodes)
      const start = random.pick(['', '8', '9', '90', '80', '89', '1900', '190', '19', '70', '60', '50'])
      const length = 4 + random.below(8)
      const digits = start + Array.from({ length }, () => random.below(10)).join('')
      const parsed = parsePhoneNumberFromString(`+${dialCode}${digits}`)
      const type = parsed?.getType()
      if (parsed?.nationalNumber !== digits || type === undefined) continue
      if (premiumTypes.includes(type)) found += 1
      if (isPremiumNumber(dialCode, digits) !== premiumTypes.includes(type))
        differences.push(`+${dialCode} ${digits} is ${type}`)
    }
    expect(found).toBeGreaterThan(200)
    expect(differences).toEqual([])
  })

  it('do not include the example of a mobile number of any country', () => {
    const refused = getCountries().filter(country => {
      const number = examples[country]
      return number !== undefined && isPremiumNumber(getCountryCallingCode(country), number)
    })
    expect(refused).toEqual([])
  })
})
