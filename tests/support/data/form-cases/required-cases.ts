import type { FieldName, FormValues } from '#contract/application.ts'
import { firstPassport, minorWithRepresentative, renewalBornAbroad } from '#support/data/applicants.ts'
import type { FormCase } from './form-case.ts'
import {
  livingAbroad,
  oldCard,
  representativeBornAbroad,
  representativeOfOtherOccupation,
  representativeOfUnknownBirthDate,
} from './people.ts'

type Field = Exclude<FieldName, 'dateOfBirthUnknown' | 'reprDateOfBirthUnknown'>

const chosenFields: [string, Field, FormValues][] = [
  ['GEN02', 'reason', firstPassport],
  ['PER04', 'gender', firstPassport],
  ['PER08', 'placeOfBirth', firstPassport],
  ['PER08 FRM16', 'placeOfBirth', renewalBornAbroad],
  ['PER09', 'regionCode', firstPassport],
  ['PER09', 'departmentCode', firstPassport],
  ['PER09', 'localityId', firstPassport],
  ['PER18', 'resAddressCountry', firstPassport],
  ['PER19', 'resAddressRegionCode', firstPassport],
  ['PER19', 'resAddressDepartmentCode', firstPassport],
  ['PER19', 'resAddressLocalityId', firstPassport],
  ['PAR03', 'addReprData', firstPassport],
  ['REP05', 'reprGender', minorWithRepresentative],
  ['REP05', 'reprPlaceOfBirth', minorWithRepresentative],
  ['REP05', 'reprCountryOfResidence', minorWithRepresentative],
  ['REP06', 'reprRegionCode', minorWithRepresentative],
  ['REP06', 'reprDepartmentCode', minorWithRepresentative],
  ['REP06', 'reprLocalityId', minorWithRepresentative],
  ['S26', 'selectNic', firstPassport],
]

/** Fields in which spaces are no answer: typed fields, and `dialCode` and the months, for which the form has a list. */
const textFields: [string, Field, FormValues][] = [
  ['GEN03', 'travelDestination', firstPassport],
  ['GEN04', 'reasonForTravel', firstPassport],
  ['PER02', 'surname', firstPassport],
  ['PER05 S23', 'dayOfBirth', firstPassport],
  ['PER05 S23', 'monthOfBirth', firstPassport],
  ['PER05', 'yearOfBirth', firstPassport],
  ['PER05 PER07', 'yearOfBirth', renewalBornAbroad],
  ['PER10', 'city', renewalBornAbroad],
  ['S26', 'phoneNumber', firstPassport],
  ['S26 PER13', 'dialCode', firstPassport],
  ['PER17', 'otherOccupation', renewalBornAbroad],
  ['PER20', 'resAddressCity', livingAbroad],
  ['PER21', 'resAddressStreet', firstPassport],
  ['PAR01', 'motherSurname', firstPassport],
  ['REP04', 'reprSurname', minorWithRepresentative],
  ['REP05', 'reprDayOfBirth', minorWithRepresentative],
  ['REP05', 'reprMonthOfBirth', minorWithRepresentative],
  ['REP05', 'reprYearOfBirth', minorWithRepresentative],
  ['REP05 S23', 'reprYearOfBirth', representativeOfUnknownBirthDate],
  ['REP07', 'reprCity', representativeBornAbroad],
  ['REP08', 'reprOtherOccupation', representativeOfOtherOccupation],
  ['REP09', 'reprNicDateOfIssuance', minorWithRepresentative],
  ['REP09', 'reprNicDateOfExpiry', minorWithRepresentative],
  ['S26', 'nicNumber', firstPassport],
  ['S26 DOC01', 'nicNumber', oldCard],
  ['DOC03', 'nicDateOfIssuance', firstPassport],
  ['DOC03', 'nicDateOfExpiry', firstPassport],
  ['DOC03 DOC01', 'nicDateOfIssuance', oldCard],
  ['DOC03 DOC01', 'nicDateOfExpiry', oldCard],
  ['DOC07', 'eppNumber', renewalBornAbroad],
  ['DOC07', 'eppDateOfIssuance', renewalBornAbroad],
]

const optionalFields: [string, Field, FormValues][] = [
  ['PER01', 'givenName', firstPassport],
  ['S26', 'email', firstPassport],
  ['S26', 'occupation', firstPassport],
  ['PAR02 S26', 'motherGivenName', firstPassport],
  ['PAR02 S26', 'fatherGivenName', firstPassport],
  ['PAR02 S26', 'fatherSurname', firstPassport],
  ['REP03 S26', 'reprGivenName', minorWithRepresentative],
  ['S26', 'reprOccupation', minorWithRepresentative],
  ['S26 REP13', 'reprNicNumber', minorWithRepresentative],
  ['S26', 'reprNicPlaceOfIssuance', minorWithRepresentative],
  ['S26', 'nicPlaceOfIssuance', firstPassport],
]

/** FRM12: required and optional fields; spaces count as no answer. */
export const requiredCases: FormCase[] = [
  ...[...chosenFields, ...textFields].map(row => unanswered(row, { words: 'an empty text', answer: '' })),
  ...textFields.map(row => unanswered(row, { words: 'a space', answer: ' \u00a0 ' })),
  ...textFields.map(row => unanswered(row, { words: 'an invisible character', answer: '\u200b\u202e' })),
  ...optionalFields.map(([rows, field, of]): FormCase => {
    return { rows, name: `${field} may be left out`, of, change: { [field]: '' }, faults: {} }
  }),
]

type NoAnswer = { words: string; answer: string }

function unanswered([rows, field, of]: [string, Field, FormValues], { words, answer }: NoAnswer): FormCase {
  const name = `${field} is required, and ${words} is no answer`
  return { rows, name, of, change: { [field]: answer }, faults: { [field]: 'required' } }
}
