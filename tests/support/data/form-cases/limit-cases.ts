import type { FieldName, FormValues } from '#contract/application.ts'
import type { Limit } from '#contract/issues.ts'
import { firstPassport, minorWithRepresentative, renewalBornAbroad } from '#support/data/applicants.ts'
import { type FormCase, letters } from './form-case.ts'
import { livingAbroad, representativeBornAbroad, representativeOfOtherOccupation } from './people.ts'

/** Ids of requirements, a field, its limit, and a form that shows the field. */
const textLimits: [string, FieldName, Limit, FormValues][] = [
  ['GEN03 LIM01', 'travelDestination', 100, firstPassport],
  ['GEN04 LIM01', 'reasonForTravel', 100, firstPassport],
  ['GEN06', 'languagePref', 26, firstPassport],
  ['PER01 LIM01', 'givenName', 100, firstPassport],
  ['PER02 LIM01', 'surname', 100, firstPassport],
  ['PER10 LIM01 S25', 'city', 26, renewalBornAbroad],
  ['PER17 LIM01', 'otherOccupation', 26, renewalBornAbroad],
  ['PER20 LIM01 S25', 'resAddressCity', 26, livingAbroad],
  ['PER21 LIM01', 'resAddressStreet', 80, firstPassport],
  ['PAR01 LIM01', 'motherSurname', 100, firstPassport],
  ['PAR02 LIM01', 'motherGivenName', 100, firstPassport],
  ['PAR02 LIM01', 'fatherGivenName', 100, firstPassport],
  ['PAR02 LIM01', 'fatherSurname', 100, firstPassport],
  ['REP03 LIM01', 'reprGivenName', 100, minorWithRepresentative],
  ['REP04 LIM01', 'reprSurname', 100, minorWithRepresentative],
  ['REP07 LIM01 S25', 'reprCity', 26, representativeBornAbroad],
  ['REP08 LIM01', 'reprOtherOccupation', 26, representativeOfOtherOccupation],
  ['REP14', 'reprNicNumber', 50, minorWithRepresentative],
  ['REP14', 'reprNicPlaceOfIssuance', 100, minorWithRepresentative],
  ['S68 DOC12', 'nicNumber', 50, firstPassport],
  ['DOC12', 'nicPlaceOfIssuance', 100, firstPassport],
  ['DOC06 LIM01', 'eppNumber', 12, renewalBornAbroad],
]

/**
 * Ids of requirements, a date or a part of one, its limit, a form that shows it, and the field that gets the fault of a wrong
 * date.
 */
const dateLimits: [string, FieldName, Limit, FormValues, FieldName][] = [
  ['PER22', 'dayOfBirth', 8, firstPassport, 'dayOfBirth'],
  ['PER22', 'monthOfBirth', 8, firstPassport, 'dayOfBirth'],
  ['PER22', 'yearOfBirth', 8, firstPassport, 'yearOfBirth'],
  ['PER22 PER07', 'yearOfBirth', 8, renewalBornAbroad, 'yearOfBirth'],
  ['REP14', 'reprDayOfBirth', 8, minorWithRepresentative, 'reprDayOfBirth'],
  ['REP14', 'reprMonthOfBirth', 8, minorWithRepresentative, 'reprDayOfBirth'],
  ['REP14', 'reprYearOfBirth', 8, minorWithRepresentative, 'reprYearOfBirth'],
  ['REP10 S24 LIM01', 'reprNicDateOfIssuance', 50, minorWithRepresentative, 'reprNicDateOfIssuance'],
  ['REP10 S24 LIM01', 'reprNicDateOfExpiry', 50, minorWithRepresentative, 'reprNicDateOfExpiry'],
  ['DOC12', 'nicDateOfIssuance', 50, firstPassport, 'nicDateOfIssuance'],
  ['DOC12', 'nicDateOfExpiry', 50, firstPassport, 'nicDateOfExpiry'],
  ['DOC12', 'eppDateOfIssuance', 50, renewalBornAbroad, 'eppDateOfIssuance'],
]

/** LIM01: n characters are accepted, n + 1 are refused. A character is a Unicode code point: 𝒜 counts as one, 👩🏽 as two. */
export const limitCases: FormCase[] = [
  ...textLimits.flatMap(([rows, field, limit, of]) => [
    accepted({ rows, field, of }, letters(limit)),
    refused({ rows, field, of }, letters(limit + 1), limit),
    accepted({ rows, field, of }, '𝒜'.repeat(limit)),
    refused({ rows, field, of }, '𝒜'.repeat(limit + 1), limit),
  ]),
  ...dateLimits.flatMap(([rows, field, limit, of, blamed]): FormCase[] => {
    const long = '2'.repeat(limit)
    const name = `${field} of ${limit} characters is not too long, though no date`
    const code = /year/i.test(field) ? 'year-four-digits' : 'date-impossible'
    return [
      { rows, name, of, change: { [field]: long }, faults: { [blamed]: code } },
      tooLongDate({ rows, field, of, blamed }, `${long}2`, limit),
    ]
  }),
  refused({ rows: 'LIM01', field: 'travelDestination', of: firstPassport }, `${'👩🏽'.repeat(50)}a`, 100),
  accepted({ rows: 'LIM01', field: 'travelDestination', of: firstPassport }, '👩🏽'.repeat(50)),
  accepted({ rows: 'PER03 LIM01', field: 'surname', of: firstPassport }, ` ${letters(49)}   ${letters(50)} `),
  accepted({ rows: 'S75 LIM01', field: 'motherSurname', of: firstPassport }, ` ${letters(100)}\u00a0`),
  refused({ rows: 'LIM01', field: 'resAddressStreet', of: firstPassport }, ` ${letters(80)}`, 80),
  accepted({ rows: 'PER15 LIM01', field: 'email', of: firstPassport }, address(50)),
  accepted({ rows: 'PER15 LIM01', field: 'email', of: firstPassport }, ` ${address(50)} `),
  refused({ rows: 'PER15 S69 LIM01', field: 'email', of: firstPassport }, address(51), 50),
]

type Subject = { rows: string; field: FieldName; of: FormValues }

function accepted({ rows, field, of }: Subject, answer: string): FormCase {
  const name = `${field} takes ${JSON.stringify(shorten(answer))}`
  return { rows, name, of, change: { [field]: answer }, faults: {} }
}

function refused({ rows, field, of }: Subject, answer: string, limit: Limit): FormCase {
  const name = `${field} is refused with ${JSON.stringify(shorten(answer))}`
  return { rows, name, of, change: { [field]: answer }, faults: { [field]: `too-long-${limit}` } }
}

/** A month that is too long also makes the date impossible; the day gets that fault. */
function tooLongDate(
  { rows, field, of, blamed }: Subject & { blamed: FieldName },
  answer: string,
  limit: Limit,
): FormCase {
  const { name, change, faults } = refused({ rows, field, of }, answer, limit)
  const also = field === blamed ? {} : { [blamed]: 'date-impossible' as const }
  return { rows, name, of, change, faults: { ...also, ...faults } }
}

function address(length: number): string {
  return `${'a'.repeat(length - '@example.cm'.length)}@example.cm`
}

function shorten(answer: string): string {
  const characters = Array.from(answer)
  return characters.length < 12 ? answer : `${characters.slice(0, 4).join('')}… of ${characters.length}`
}
