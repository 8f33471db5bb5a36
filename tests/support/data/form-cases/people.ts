import type { FormValues } from '#contract/application.ts'
import { firstPassport, minorWithRepresentative, renewalBornAbroad } from '#support/data/applicants.ts'

/** Complete forms, each of which differs from a golden applicant in one branch of the form. */

export const livingAbroad: FormValues = {
  ...firstPassport,
  resAddressCountry: '11037',
  resAddressRegionCode: '',
  resAddressDepartmentCode: '',
  resAddressLocalityId: '',
  resAddressCity: 'Paris',
}

export const oldCard: FormValues = { ...firstPassport, selectNic: '3', nicDateOfIssuance: '2012-01-31' }

export const representativeBornAbroad: FormValues = {
  ...minorWithRepresentative,
  reprPlaceOfBirth: '11037',
  reprRegionCode: '',
  reprDepartmentCode: '',
  reprLocalityId: '',
  reprCity: 'Paris',
}

export const representativeOfOtherOccupation: FormValues = {
  ...minorWithRepresentative,
  reprOccupation: '33',
  reprOtherOccupation: 'Griot',
}

export const representativeOfUnknownBirthDate: FormValues = {
  ...minorWithRepresentative,
  reprDateOfBirthUnknown: true,
  reprDayOfBirth: '',
  reprMonthOfBirth: '',
}

export const representativeWithoutCard: FormValues = {
  ...minorWithRepresentative,
  reprNicNumber: '',
  reprNicDateOfIssuance: '',
  reprNicDateOfExpiry: '',
  reprNicPlaceOfIssuance: '',
}

const passportStolen: FormValues = { ...renewalBornAbroad, reason: '11280' }
const additionalPassport: FormValues = { ...renewalBornAbroad, reason: '11286' }
export const additionalWithoutNumber: FormValues = {
  ...additionalPassport,
  eppNumber: '',
  eppDateOfIssuance: '',
}

export const allPeople: [string, FormValues][] = [
  ['a first passport', firstPassport],
  ['a renewal of an applicant born abroad', renewalBornAbroad],
  ['a stolen passport', passportStolen],
  ['an additional passport with the old number', additionalPassport],
  ['an additional passport without the old number', additionalWithoutNumber],
  ['a resident abroad', livingAbroad],
  ['an old identity card', oldCard],
  ['a minor', minorWithRepresentative],
  ['a representative born abroad', representativeBornAbroad],
  ['a representative of another occupation', representativeOfOtherOccupation],
  ['a representative who knows the year of birth alone', representativeOfUnknownBirthDate],
  ['a representative without a card', representativeWithoutCard],
]
