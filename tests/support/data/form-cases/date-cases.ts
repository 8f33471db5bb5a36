import { firstPassport, minorWithRepresentative, renewalBornAbroad } from '#support/data/applicants.ts'
import { type Faults, type FormCase, today, tomorrow, yesterday } from './form-case.ts'
import { oldCard, representativeOfUnknownBirthDate, representativeWithoutCard } from './people.ts'

/** Ids of requirements, day, month, year, expected faults. */
const birthDates: [
  string,
  string,
  string,
  string,
  { day?: 'date-impossible' | 'date-not-numbers'; year?: BirthFault },
][] = [
  ['LIM04 PER06', '31', '12', '1899', { year: 'date-too-early' }],
  ['LIM04 PER06', '01', '01', '1900', {}],
  ['LIM04 PER06', '1', '1', '1900', {}],
  ['LIM04 PER06', '15', '06', '2026', {}],
  ['LIM04 PER06', '16', '06', '2026', { year: 'date-in-future' }],
  ['LIM04 PER06', '01', '01', '2027', { year: 'date-in-future' }],
  ['PER06', '29', '02', '2023', { day: 'date-impossible' }],
  ['PER06', '29', '02', '2024', {}],
  ['PER06', '29', '02', '1900', { day: 'date-impossible' }],
  ['PER06', '29', '02', '2000', {}],
  ['PER06', '31', '04', '1990', { day: 'date-impossible' }],
  ['PER06', '30', '04', '1990', {}],
  ['PER06', '31', '02', '1990', { day: 'date-impossible' }],
  ['PER06', '00', '04', '1990', { day: 'date-impossible' }],
  ['PER06', '12', '13', '1990', { day: 'date-impossible' }],
  ['PER06', '12', '00', '1990', { day: 'date-impossible' }],
  ['PER06', 'ab', '04', '1990', { day: 'date-not-numbers' }],
  ['PER06', '12', '04', '199O', { day: 'date-not-numbers' }],
  ['PER06', '12', '04', '90', { year: 'year-four-digits' }],
  ['PER06', '12', '04', '19900', { year: 'year-four-digits' }],
  ['PER06', '12', '04', ' 1990', { year: 'year-four-digits' }],
]

type BirthFault = 'date-too-early' | 'date-in-future' | 'year-four-digits'

const birthYears: [string, string, BirthFault | undefined][] = [
  ['LIM04 PER07', '1899', 'date-too-early'],
  ['LIM04 PER07', '1900', undefined],
  ['LIM04 PER07', '2026', undefined],
  ['LIM04 PER07', '2027', 'date-in-future'],
  ['PER07', '62', 'year-four-digits'],
  ['PER07', '19620', 'year-four-digits'],
  ['PER07', '196O', 'year-four-digits'],
]

/** Ids of requirements, name, date of issuance, date of expiry, expected faults. */
const cards: [string, string, string, string, Faults][] = [
  ['S03 DOC04', 'issued on the day of expiry', today, today, {}],
  [
    'DOC04 DOC05',
    'issued a day after the expiry',
    today,
    yesterday,
    { nicDateOfIssuance: 'issuance-after-expiry', nicDateOfExpiry: 'expiry-past' },
  ],
  ['S73 DOC05 DOC11', 'an expiry of today', '2020-01-01', today, {}],
  ['DOC05', 'an expiry of yesterday', '2020-01-01', yesterday, { nicDateOfExpiry: 'expiry-past' }],
  ['DOC11', 'an expiry of tomorrow', '2020-01-01', tomorrow, {}],
  ['DOC10', 'an issuance of tomorrow', tomorrow, '2030-01-01', { nicDateOfIssuance: 'date-in-future' }],
  ['DOC10', 'an issuance of today', today, '2030-01-01', {}],
  [
    'FRM18',
    'half typed dates',
    '2020--',
    '2030-01-',
    { nicDateOfIssuance: 'date-incomplete', nicDateOfExpiry: 'date-incomplete' },
  ],
  [
    'FRM18',
    'days that do not exist',
    '2023-02-29',
    '2030-02-30',
    { nicDateOfIssuance: 'date-impossible', nicDateOfExpiry: 'date-impossible' },
  ],
  [
    'FRM18',
    'a year of two digits, and a letter for a figure',
    '20-05-10',
    '2030-05-1O',
    { nicDateOfIssuance: 'year-four-digits', nicDateOfExpiry: 'date-not-numbers' },
  ],
  ['FRM18', 'a date as it is shown', '10.05.2021', '2030-01-01', { nicDateOfIssuance: 'date-impossible' }],
]

/** Cases of the card of a representative, which has another rule for equal dates (S03). */
const representativeCards: [string, string, string, string, Faults][] = [
  ['S03 REP11', 'issued on the day of expiry', today, today, expiryFault('expiry-before-issuance')],
  ['REP11', 'issued a day before the expiry', today, tomorrow, {}],
  ['REP11', 'issued a day after the expiry', today, yesterday, expiryFault('expiry-before-issuance')],
  ['REP12', 'an expiry of yesterday', '2020-01-01', yesterday, expiryFault('expiry-past')],
  ['REP12 S73', 'an expiry of today', '2020-01-01', today, {}],
  ['DOC10', 'an issuance of tomorrow', tomorrow, '2030-01-01', { reprNicDateOfIssuance: 'date-in-future' }],
  [
    'FRM18',
    'half typed dates',
    '2020-5-',
    '--3',
    { reprNicDateOfIssuance: 'date-incomplete', reprNicDateOfExpiry: 'date-incomplete' },
  ],
  [
    'FRM18',
    'days that do not exist',
    '2023-02-29',
    '2030-02-30',
    { reprNicDateOfIssuance: 'date-impossible', reprNicDateOfExpiry: 'date-impossible' },
  ],
]

export const dateCases: FormCase[] = [
  ...birthDates.map(([rows, day, month, year, wrong]): FormCase => {
    const faults: Faults = {
      ...(wrong.day && { dayOfBirth: wrong.day }),
      ...(wrong.year && { yearOfBirth: wrong.year }),
    }
    const change = { dayOfBirth: day, monthOfBirth: month, yearOfBirth: year }
    return { rows, name: `born ${day}.${month}.${year}`, of: firstPassport, change, faults }
  }),
  ...birthDates.map(([rows, day, month, year, wrong]): FormCase => {
    const faults: Faults = {
      ...(wrong.day && { reprDayOfBirth: wrong.day }),
      ...(wrong.year && { reprYearOfBirth: wrong.year }),
    }
    const change = { reprDayOfBirth: day, reprMonthOfBirth: month, reprYearOfBirth: year }
    const name = `a representative born ${day}.${month}.${year}`
    return { rows: `${rows} REP05`, name, of: minorWithRepresentative, change, faults }
  }),
  ...birthYears.map(([rows, year, code]): FormCase => ({
    rows,
    name: `born in ${year}`,
    of: renewalBornAbroad,
    change: { yearOfBirth: year },
    faults: code ? { yearOfBirth: code } : {},
  })),
  ...birthYears.map(([rows, year, code]): FormCase => ({
    rows: `${rows} S23`,
    name: `a representative born in ${year}`,
    of: representativeOfUnknownBirthDate,
    change: { reprYearOfBirth: year },
    faults: code ? { reprYearOfBirth: code } : {},
  })),
  ...[firstPassport, oldCard].flatMap(of =>
    cards.map(([rows, name, nicDateOfIssuance, nicDateOfExpiry, faults]): FormCase => {
      const card = of === oldCard ? 'an old card' : 'a new card'
      return { rows, name: `${card}: ${name}`, of, change: { nicDateOfIssuance, nicDateOfExpiry }, faults }
    }),
  ),
  ...representativeCards.map(([rows, name, reprNicDateOfIssuance, reprNicDateOfExpiry, faults]): FormCase => {
    const change = { reprNicDateOfIssuance, reprNicDateOfExpiry }
    return { rows, name: `a representative’s card: ${name}`, of: minorWithRepresentative, change, faults }
  }),
  passport('DOC10', 'issued today', today, {}),
  passport('DOC10', 'issued tomorrow', tomorrow, { eppDateOfIssuance: 'date-in-future' }),
  passport('FRM18', 'issued on a day that does not exist', '2015-02-29', {
    eppDateOfIssuance: 'date-impossible',
  }),
  passport('FRM18', 'of a half typed date', '2015-02-', { eppDateOfIssuance: 'date-incomplete' }),
  // What the form hides is not stored: shared-form-cases.test.ts reads the stored form back.
  {
    rows: 'PER07',
    name: 'an unknown birth date keeps no day nor month',
    of: renewalBornAbroad,
    change: { dayOfBirth: '31', monthOfBirth: '02' },
    faults: {},
  },
  {
    rows: 'REP09 REP13',
    name: 'without a number a representative’s card has no dates',
    of: representativeWithoutCard,
    change: { reprNicDateOfIssuance: tomorrow, reprNicDateOfExpiry: yesterday },
    faults: {},
  },
]

function passport(rows: string, name: string, eppDateOfIssuance: string, faults: Faults): FormCase {
  return { rows, name: `a passport ${name}`, of: renewalBornAbroad, change: { eppDateOfIssuance }, faults }
}

function expiryFault(code: 'expiry-before-issuance' | 'expiry-past'): Faults {
  return { reprNicDateOfExpiry: code }
}
