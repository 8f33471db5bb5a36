import { describe, expect, it } from 'vitest'
import { findIssues } from '#contract/application.ts'
import { firstPassport, minorWithRepresentative, renewalAbroad } from '#support/applicants.ts'
import { faultOf, letters, unlocked } from './fault-of.ts'

// A field, how long its answer may be, and somebody whose form shows it.
const limits = [
  ['GEN03', 'travelDestination', 100, firstPassport],
  ['GEN04', 'reasonForTravel', 100, firstPassport],
  ['PER01', 'givenName', 100, firstPassport],
  ['PER02', 'surname', 100, firstPassport],
  ['PER10', 'city', 26, renewalAbroad],
  ['PER17', 'otherOccupation', 26, renewalAbroad],
  ['PER20', 'resAddressCity', 26, { ...firstPassport, resAddressCountry: '11037' }],
  ['PER21', 'resAddressStreet', 80, firstPassport],
  ['PAR01', 'motherSurname', 100, firstPassport],
  ['PAR02', 'motherGivenName', 100, firstPassport],
  ['PAR02', 'fatherGivenName', 100, firstPassport],
  ['PAR02', 'fatherSurname', 100, firstPassport],
  ['REP03', 'reprGivenName', 100, minorWithRepresentative],
  ['REP04', 'reprSurname', 100, minorWithRepresentative],
  ['REP07', 'reprCity', 26, { ...minorWithRepresentative, reprPlaceOfBirth: '11037' }],
  ['REP08', 'reprOtherOccupation', 26, { ...minorWithRepresentative, reprOccupation: '33' }],
  ['DOC06', 'eppNumber', 12, renewalAbroad],
] as const

describe('LIM01 an answer', () => {
  it.each(limits)('%s to %s takes %i characters', (_, field, limit, form) => {
    expect(faultOf(field, { ...form, [field]: letters(limit) })).toBeUndefined()
  })

  it.each(limits)('%s to %s is refused with one more than %i', (_, field, limit, form) => {
    expect(faultOf(field, { ...form, [field]: letters(limit + 1) })).toBe(`too-long-${limit}`)
  })

  it.each([
    ['👩🏽', 2],
    ['𝒜', 1],
  ])('counts %s by its code points', (character, points) => {
    const longest = character.repeat(100 / points)
    expect(faultOf('travelDestination', { ...firstPassport, travelDestination: longest })).toBeUndefined()
    expect(faultOf('travelDestination', { ...firstPassport, travelDestination: `${longest}a` })).toBe(
      'too-long-100',
    )
  })

  it('PER15 S69 an e-mail takes 50 characters and no more', () => {
    expect(faultOf('email', { ...firstPassport, email: address(50) })).toBeUndefined()
    expect(faultOf('email', { ...firstPassport, email: address(51) })).toBe('too-long-50')
  })

  it('REP10 S24 a representative NIC date is never longer than 50 characters', () => {
    const form = { ...minorWithRepresentative, reprNicDateOfIssuance: '2'.repeat(51) }
    expect(faultOf('reprNicDateOfIssuance', form)).toBe('too-long-50')
  })

  it('is counted before it is kept, not cut', () => {
    const form = { ...firstPassport, resAddressStreet: letters(81) }
    expect(findIssues(form, unlocked)).toEqual([{ field: 'resAddressStreet', code: 'too-long-80' }])
  })
})

function address(length: number): string {
  return `${'a'.repeat(length - '@example.cm'.length)}@example.cm`
}
