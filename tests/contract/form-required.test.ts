import { describe, expect, it } from 'vitest'
import { type FieldName, findIssues, type FormValues } from '#contract/application.ts'
import { reasons } from '#contract/codes.ts'
import { firstPassport, minorWithRepresentative, renewalAbroad } from '#support/applicants.ts'
import { faultOf, unlocked } from './fault-of.ts'

const abroad = { ...firstPassport, resAddressCountry: '11037', resAddressCity: 'Paris' }
const guardianAbroad = { ...minorWithRepresentative, reprPlaceOfBirth: '11037', reprCity: 'Paris' }
const guardianOther = { ...minorWithRepresentative, reprOccupation: '33', reprOtherOccupation: 'Griot' }

const required: [string, FieldName, FormValues][] = [
  ['GEN02', 'reason', firstPassport],
  ['GEN03', 'travelDestination', firstPassport],
  ['GEN04', 'reasonForTravel', firstPassport],
  ['PER02', 'surname', firstPassport],
  ['PER04', 'gender', firstPassport],
  ['PER05', 'yearOfBirth', firstPassport],
  ['PER05', 'yearOfBirth', renewalAbroad],
  ['PER08', 'placeOfBirth', firstPassport],
  ['PER09', 'regionCode', firstPassport],
  ['PER09', 'departmentCode', firstPassport],
  ['PER09', 'localityId', firstPassport],
  ['PER10', 'city', renewalAbroad],
  ['S26', 'phoneNumber', firstPassport],
  ['PER17', 'otherOccupation', renewalAbroad],
  ['PER18', 'resAddressCountry', firstPassport],
  ['PER19', 'resAddressRegionCode', firstPassport],
  ['PER19', 'resAddressDepartmentCode', firstPassport],
  ['PER19', 'resAddressLocalityId', firstPassport],
  ['PER20', 'resAddressCity', abroad],
  ['PER21', 'resAddressStreet', firstPassport],
  ['PAR01', 'motherSurname', firstPassport],
  ['PAR03', 'addReprData', firstPassport],
  ['REP04', 'reprSurname', minorWithRepresentative],
  ['REP05', 'reprGender', minorWithRepresentative],
  ['REP05', 'reprDayOfBirth', minorWithRepresentative],
  ['REP05', 'reprPlaceOfBirth', minorWithRepresentative],
  ['REP05', 'reprCountryOfResidence', minorWithRepresentative],
  ['REP06', 'reprRegionCode', minorWithRepresentative],
  ['REP06', 'reprDepartmentCode', minorWithRepresentative],
  ['REP06', 'reprLocalityId', minorWithRepresentative],
  ['REP07', 'reprCity', guardianAbroad],
  ['REP08', 'reprOtherOccupation', guardianOther],
  ['REP09', 'reprNicDateOfIssuance', minorWithRepresentative],
  ['REP09', 'reprNicDateOfExpiry', minorWithRepresentative],
  ['S26', 'selectNic', firstPassport],
  ['S26', 'nicNumber', firstPassport],
  ['DOC03', 'nicDateOfIssuance', firstPassport],
  ['DOC03', 'nicDateOfExpiry', firstPassport],
  ['DOC07', 'eppNumber', renewalAbroad],
  ['DOC07', 'eppDateOfIssuance', renewalAbroad],
]

const optional: [string, FieldName, FormValues][] = [
  ['PER01', 'givenName', firstPassport],
  ['S26', 'email', firstPassport],
  ['S26', 'occupation', firstPassport],
  ['PAR02', 'motherGivenName', firstPassport],
  ['PAR02', 'fatherGivenName', firstPassport],
  ['PAR02', 'fatherSurname', firstPassport],
  ['REP03', 'reprGivenName', minorWithRepresentative],
  ['S26', 'reprOccupation', minorWithRepresentative],
  ['S26', 'reprNicNumber', minorWithRepresentative],
  ['S26', 'reprNicPlaceOfIssuance', minorWithRepresentative],
  ['S26', 'nicPlaceOfIssuance', firstPassport],
]

describe('a complete form', () => {
  it.each([
    ['of a first passport', firstPassport],
    ['of somebody born abroad', renewalAbroad],
    ['of a minor', minorWithRepresentative],
    ['of a resident abroad', abroad],
    ['with a guardian born abroad', guardianAbroad],
  ])('%s has no fault', (_, form) => {
    expect(findIssues(form, unlocked)).toEqual([])
  })

  it.each(required)('%s FRM12 needs an answer to %s', (_, field, form) => {
    expect(faultOf(field, { ...form, [field]: '' })).toBe('required')
    if (field !== 'reason' && field !== 'gender' && field !== 'addReprData' && field !== 'selectNic')
      expect(faultOf(field, { ...form, [field]: '   ' })).toBeDefined()
  })

  it.each(optional)('%s may leave out %s', (_, field, form) => {
    expect(findIssues({ ...form, [field]: '' }, unlocked)).toEqual([])
  })

  it.each([
    ['GEN02', 'reason', '11213'],
    ['PER04', 'gender', '11218'],
    ['PAR03', 'addReprData', 'MAYBE'],
    ['DOC01', 'selectNic', '4'],
  ] as const)('%s takes no answer beside the list: %s %s', (_, field, answer) => {
    expect(faultOf(field, { ...firstPassport, [field]: answer })).toBe('not-in-list')
  })

  it.each(reasons)('DIC01 GEN02 takes the reason %s', reason => {
    expect(faultOf('reason', { ...firstPassport, reason })).toBeUndefined()
  })
})

describe('the previous passport', () => {
  const without = { ...renewalAbroad, eppNumber: '', eppDateOfIssuance: '' }
  const mandatory = ['11212', '11214', '11280', '11281', '11282', '11283', '11284', '11285']

  it.each(mandatory)('DOC07 is asked for with reason %s', reason => {
    expect(faultOf('eppNumber', { ...without, reason })).toBe('required')
    expect(faultOf('eppDateOfIssuance', { ...without, reason })).toBe('required')
  })

  it('DOC09 S58 is not asked for a first passport, and a stray number does no harm', () => {
    expect(findIssues({ ...without, reason: '11211' }, unlocked)).toEqual([])
    expect(findIssues({ ...renewalAbroad, reason: '11211' }, unlocked)).toEqual([])
  })

  it.each([
    ['neither', '', '', undefined, undefined],
    ['the number alone', '01234567', '', undefined, 'required'],
    ['the date alone', '', '2016-02-29', 'required', undefined],
    ['both', '01234567', '2016-02-29', undefined, undefined],
  ])('DOC08 of an additional passport: %s', (_, eppNumber, eppDateOfIssuance, number, date) => {
    const form = { ...renewalAbroad, reason: '11286', eppNumber, eppDateOfIssuance }
    expect(faultOf('eppNumber', form)).toBe(number)
    expect(faultOf('eppDateOfIssuance', form)).toBe(date)
  })
})
