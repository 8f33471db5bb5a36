import type { FieldName, FormValues } from '#contract/application.ts'
import { reasons } from '#contract/codes.ts'
import { firstPassport, minorWithRepresentative, renewalBornAbroad } from '#support/data/applicants.ts'
import type { Faults, FormCase } from './form-case.ts'
import {
  additionalWithoutNumber,
  allPeople,
  livingAbroad,
  representativeBornAbroad,
  representativeOfOtherOccupation,
} from './people.ts'

const offered: [string, FieldName, string, FormValues][] = [
  ...reasons.map((reason): [string, FieldName, string, FormValues] => {
    return ['DIC01 GEN02', 'reason', reason, renewalBornAbroad]
  }),
  ['PER04', 'gender', '11216', firstPassport],
  ['PER04', 'gender', '11217', firstPassport],
  ['PAR03', 'addReprData', 'NO', minorWithRepresentative],
  ['DOC01', 'selectNic', '1', firstPassport],
  ['DOC01', 'selectNic', '2', firstPassport],
  ['DOC01', 'selectNic', '3', firstPassport],
  ['DIC04', 'occupation', '00', firstPassport],
  ['DIC04', 'reprOccupation', '00', minorWithRepresentative],
]

/**
 * Answers that the contract refuses: they are in none of its lists, or are too long for an id or have characters that no id
 * has. The unknown reason requires the previous passport, and the unknown card its number and dates: both forms have these.
 */
const outside: [string, FieldName, string, FormValues, Faults][] = [
  ['GEN02', 'reason', '11213', renewalBornAbroad, {}],
  ['PER04', 'gender', '11218', firstPassport, {}],
  ['PAR03', 'addReprData', 'MAYBE', firstPassport, {}],
  ['REP05', 'reprGender', 'female', minorWithRepresentative, {}],
  ['DOC01', 'selectNic', '4', firstPassport, {}],
  ['PER08', 'placeOfBirth', 'France!', renewalBornAbroad, {}],
  ['PER09', 'regionCode', 'LE CENTRE', firstPassport, {}],
  ['PER09', 'departmentCode', 'é', firstPassport, {}],
  ['PER09', 'localityId', '1'.repeat(41), firstPassport, {}],
  ['PER19', 'resAddressRegionCode', '<b>', firstPassport, {}],
  ['PER17', 'occupation', '3 3', firstPassport, {}],
]

/** A field that another answer removes has no issues. */
const removedFields: [string, FormValues, Partial<FormValues>][] = [
  ['S72 PER10 FRM15', firstPassport, { city: 'x'.repeat(27) }],
  ['S72 PER20', firstPassport, { resAddressCity: 'x'.repeat(27) }],
  ['S72 PER09 FRM16', renewalBornAbroad, { regionCode: '!', departmentCode: '!', localityId: '!' }],
  ['S72 PER19', livingAbroad, { resAddressRegionCode: '!' }],
  ['S72 REP06', representativeBornAbroad, { reprLocalityId: '!' }],
  ['S72 REP07', minorWithRepresentative, { reprCity: 'x'.repeat(27) }],
  ['S72 PER17', firstPassport, { otherOccupation: 'x'.repeat(27) }],
  ['S72 REP08', minorWithRepresentative, { reprOtherOccupation: 'x'.repeat(27) }],
  [
    'DOC02 S71',
    renewalBornAbroad,
    { nicNumber: 'x'.repeat(51), nicDateOfIssuance: 'no', nicDateOfExpiry: 'no' },
  ],
  ['DOC02 S71', renewalBornAbroad, { nicPlaceOfIssuance: 'x'.repeat(101) }],
  ['DOC09 S58', firstPassport, { eppNumber: 'x'.repeat(13), eppDateOfIssuance: 'no' }],
  ['REP01 REP02', firstPassport, { reprSurname: 'x'.repeat(101), reprGender: '?', reprYearOfBirth: '1' }],
]

/** The reasons that require the previous passport. Reason 11286 allows its number and date together, or neither. */
const reasonsWithPassport = reasons.filter(reason => reason !== '11211' && reason !== '11286')

export const choiceCases: FormCase[] = [
  ...allPeople.map(([name, of]): FormCase => ({
    rows: 'FRM12',
    name: `${name} is complete`,
    of,
    change: {},
    faults: {},
  })),
  ...offered.map(([rows, field, answer, of]): FormCase => {
    return { rows, name: `${field} may be ${answer}`, of, change: { [field]: answer }, faults: {} }
  }),
  ...outside.map(([rows, field, answer, of, more]): FormCase => {
    const name = `${field} is never ${JSON.stringify(answer.slice(0, 12))}`
    return { rows, name, of, change: { [field]: answer }, faults: { [field]: 'not-in-list', ...more } }
  }),
  ...removedFields.map(([rows, of, change]): FormCase => {
    return {
      rows,
      name: `${Object.keys(change).join(', ')} has no issue when another answer removes it`,
      of,
      change,
      faults: {},
    }
  }),
  ...reasonsWithPassport.map((reason): FormCase => ({
    rows: 'DOC07',
    name: `reason ${reason} asks for the previous passport`,
    of: additionalWithoutNumber,
    change: { reason },
    faults: { eppNumber: 'required', eppDateOfIssuance: 'required' },
  })),
  previous('DOC09', '11211', { eppNumber: '', eppDateOfIssuance: '' }, {}),
  previous('DOC08', '11286', { eppNumber: '', eppDateOfIssuance: '' }, {}),
  previous('DOC08', '11286', { eppNumber: ' ', eppDateOfIssuance: '' }, {}),
  previous('DOC08', '11286', { eppDateOfIssuance: '' }, { eppDateOfIssuance: 'required' }),
  previous('DOC08', '11286', { eppNumber: '' }, { eppNumber: 'required' }),
  previous('DOC08', '11286', {}, {}),
  {
    rows: 'REP01 REP04 REP05',
    name: 'a representative who is announced must be named',
    of: firstPassport,
    change: { addReprData: 'YES' },
    faults: {
      reprSurname: 'required',
      reprGender: 'required',
      reprDayOfBirth: 'required',
      reprMonthOfBirth: 'required',
      reprYearOfBirth: 'required',
      reprPlaceOfBirth: 'required',
      reprCountryOfResidence: 'required',
    },
  },
]

function previous(rows: string, reason: string, change: Partial<FormValues>, faults: Faults): FormCase {
  const name = `with reason ${reason} the passport ${JSON.stringify(change)}`
  return { rows, name, of: renewalBornAbroad, change: { ...change, reason }, faults }
}

/** Well-formed ids that are in no list, or belong to another region or department: only the server refuses them. */
export const unlistedIdCases: FormCase[] = [
  unlisted('PER08 DIC02', 'placeOfBirth', '1', renewalBornAbroad),
  unlisted('PER09 DIC06', 'regionCode', 'ATLANTIS', firstPassport),
  unlisted('PER09 DIC02', 'departmentCode', 'WOURI', firstPassport),
  unlisted('PER09 DIC02', 'localityId', '5004001', firstPassport),
  unlisted('PER18 DIC02', 'resAddressCountry', '1', livingAbroad),
  unlisted('PER19 DIC06', 'resAddressRegionCode', 'ATLANTIS', firstPassport),
  unlisted('PER19 DIC02', 'resAddressDepartmentCode', 'MFOUNDI', firstPassport),
  unlisted('PER19 DIC02', 'resAddressLocalityId', '2007001', firstPassport),
  unlisted('PER17 DIC03', 'occupation', '99', firstPassport),
  unlisted('REP05 DIC02', 'reprPlaceOfBirth', '1', representativeBornAbroad),
  unlisted('REP05 DIC02', 'reprCountryOfResidence', '1', minorWithRepresentative),
  unlisted('REP06 DIC06', 'reprRegionCode', 'ATLANTIS', minorWithRepresentative),
  unlisted('REP06 DIC02', 'reprDepartmentCode', 'MFOUNDI', minorWithRepresentative),
  unlisted('REP06 DIC02', 'reprLocalityId', '2007001', minorWithRepresentative),
  unlisted('REP08 DIC03', 'reprOccupation', '99', representativeOfOtherOccupation),
  unlisted('PER13 SIG01', 'dialCode', '999', firstPassport),
]

function unlisted(rows: string, field: FieldName, id: string, of: FormValues): FormCase {
  const name = `${field} ${id} is not in its list`
  return { rows, name, of, change: { [field]: id }, faults: { [field]: 'not-in-list' } }
}
