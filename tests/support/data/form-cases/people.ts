import type { FormValues } from '#contract/application.ts'
import { firstPassport, minorWithRepresentative, renewalAbroad } from '#support/data/applicants.ts'

/** Complete forms for the branches that no golden applicant uses. */

export const livingAbroad: FormValues = {
  ...firstPassport,
  resAddressCountry: '11037',
  resAddressRegionCode: '',
  resAddressDepartmentCode: '',
  resAddressLocalityId: '',
  resAddressCity: 'Paris',
}

export const oldCard: FormValues = { ...firstPassport, selectNic: '3', nicDateOfIssuance: '2012-01-31' }

export const guardianBornAbroad: FormValues = {
  ...minorWithRepresentative,
  reprPlaceOfBirth: '11037',
  reprRegionCode: '',
  reprDepartmentCode: '',
  reprLocalityId: '',
  reprCity: 'Paris',
}

export const guardianOfOtherOccupation: FormValues = {
  ...minorWithRepresentative,
  reprOccupation: '33',
  reprOtherOccupation: 'Griot',
}

export const guardianOfUnknownBirthDate: FormValues = {
  ...minorWithRepresentative,
  reprDateOfBirthUnknown: true,
  reprDayOfBirth: '',
  reprMonthOfBirth: '',
}

export const guardianWithoutCard: FormValues = {
  ...minorWithRepresentative,
  reprNicNumber: '',
  reprNicDateOfIssuance: '',
  reprNicDateOfExpiry: '',
  reprNicPlaceOfIssuance: '',
}

const passportStolen: FormValues = { ...renewalAbroad, reason: '11280' }
const additionalPassport: FormValues = { ...renewalAbroad, reason: '11286' }
export const additionalWithoutNumber: FormValues = {
  ...additionalPassport,
  eppNumber: '',
  eppDateOfIssuance: '',
}

export const allPeople: [string, FormValues][] = [
  ['a first passport', firstPassport],
  ['a renewal of an applicant born abroad', renewalAbroad],
  ['a stolen passport', passportStolen],
  ['an additional passport with the old number', additionalPassport],
  ['an additional passport without', additionalWithoutNumber],
  ['a resident abroad', livingAbroad],
  ['an old identity card', oldCard],
  ['a minor', minorWithRepresentative],
  ['a guardian born abroad', guardianBornAbroad],
  ['a guardian of another occupation', guardianOfOtherOccupation],
  ['a guardian who knows the year of birth alone', guardianOfUnknownBirthDate],
  ['a guardian without a card', guardianWithoutCard],
]
