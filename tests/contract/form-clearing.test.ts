import { describe, expect, it } from 'vitest'
import {
  clearHidden,
  Draft,
  emptyForm,
  fieldNames,
  fieldsOfTab,
  type FormValues,
  readForm,
  tabOfField,
} from '#contract/application.ts'
import { birthPlace } from '#contract/person.ts'
import { clearedBy } from '#contract/place.ts'
import { firstPassport, minorWithRepresentative, renewalAbroad } from '#support/data/applicants.ts'

describe('a form sends nothing in fields that its other answers leave without meaning', () => {
  const everything: FormValues = {
    ...minorWithRepresentative,
    city: 'Paris',
    resAddressCity: 'Paris',
    reprCity: 'Paris',
    otherOccupation: 'Griot',
    reprOtherOccupation: 'Griot',
    eppNumber: '01234567',
    eppDateOfIssuance: '2016-02-29',
  }

  const cases: [string, Partial<FormValues>, (keyof FormValues)[]][] = [
    ['S72 at home no city', {}, ['city', 'resAddressCity', 'reprCity']],
    [
      'S72 born abroad no division',
      { placeOfBirth: '11037' },
      ['regionCode', 'departmentCode', 'localityId'],
    ],
    [
      'S72 living abroad no division',
      { resAddressCountry: '11037' },
      ['resAddressRegionCode', 'resAddressDepartmentCode', 'resAddressLocalityId'],
    ],
    [
      'PER07 no day nor month of an unknown date',
      { dateOfBirthUnknown: true },
      ['dayOfBirth', 'monthOfBirth'],
    ],
    ['no other occupation beside one of the list', {}, ['otherOccupation', 'reprOtherOccupation']],
    [
      'DOC02 S71 no card, no number, dates nor place',
      { selectNic: '1' },
      ['nicNumber', 'nicDateOfIssuance', 'nicDateOfExpiry', 'nicPlaceOfIssuance'],
    ],
    [
      'REP13 S71 no number, no dates nor place',
      { reprNicNumber: ' ' },
      ['reprNicDateOfIssuance', 'reprNicDateOfExpiry', 'reprNicPlaceOfIssuance'],
    ],
    ['S58 no previous passport beside a first one', { reason: '11211' }, ['eppNumber', 'eppDateOfIssuance']],
    [
      'REP02 no representative, nothing of one',
      { addReprData: 'NO' },
      fieldNames.filter(name => name.startsWith('repr')),
    ],
  ]

  it.each(cases)('%s', (_, change, names) => {
    const cleared = clearHidden({ ...everything, ...change })
    for (const name of names)
      expect([name, cleared[name]]).toEqual([name, typeof everything[name] === 'boolean' ? false : ''])
  })

  it.each([
    ['a first passport', firstPassport],
    ['a renewal', renewalAbroad],
    ['a minor', minorWithRepresentative],
  ])('and leaves the rest of %s as it is', (_, form) => {
    expect(clearHidden(form)).toEqual(form)
  })
})

describe('a changed place', () => {
  it.each([
    ['placeOfBirth', ['regionCode', 'departmentCode', 'localityId', 'city']],
    ['regionCode', ['departmentCode', 'localityId']],
    ['departmentCode', ['localityId']],
    ['localityId', []],
    ['city', []],
  ] as const)('S72 %s empties what hangs on it', (changed, cleared) => {
    expect(clearedBy(changed, birthPlace)).toEqual(cleared)
  })
})

describe('a new form', () => {
  it.each([
    ['GEN01', 'reason', '11211'],
    ['GEN05 S74', 'languagePref', '11210'],
    ['PER04', 'gender', '11216'],
    ['PER08', 'placeOfBirth', '10998'],
    ['PER13', 'dialCode', '237'],
    ['PER18', 'resAddressCountry', '10998'],
    ['S70', 'selectNic', ''],
    ['S70', 'addReprData', ''],
    ['S70', 'reprGender', ''],
    ['S70', 'reprPlaceOfBirth', ''],
  ] as const)('%s starts with %s %s', (_, field, value) => {
    expect(emptyForm()[field]).toBe(value)
  })
})

describe('the fields of the form', () => {
  it.each([
    ['GEN06', 'GeneralData', 'reason travelDestination reasonForTravel languagePref'],
    [
      'PER22',
      'PersonData',
      'givenName surname gender dayOfBirth monthOfBirth yearOfBirth dateOfBirthUnknown placeOfBirth phoneNumber ' +
        'dialCode email occupation otherOccupation regionCode departmentCode localityId city resAddressCountry ' +
        'resAddressRegionCode resAddressDepartmentCode resAddressLocalityId resAddressCity resAddressStreet',
    ],
    [
      'PAR04 REP14',
      'ParentData',
      'motherGivenName motherSurname fatherGivenName fatherSurname addReprData reprGivenName reprSurname reprGender ' +
        'reprDayOfBirth reprMonthOfBirth reprYearOfBirth reprDateOfBirthUnknown reprPlaceOfBirth ' +
        'reprCountryOfResidence reprOccupation reprOtherOccupation reprNicNumber reprNicDateOfIssuance ' +
        'reprNicDateOfExpiry reprNicPlaceOfIssuance reprRegionCode reprDepartmentCode reprLocalityId reprCity',
    ],
    [
      'DOC12',
      'NicData',
      'selectNic nicNumber nicPlaceOfIssuance nicDateOfIssuance nicDateOfExpiry eppNumber eppDateOfIssuance',
    ],
  ] as const)('%s are exactly those of the specification on %s', (_, tab, names) => {
    expect([...fieldsOfTab[tab]].toSorted()).toEqual(names.split(' ').toSorted())
    for (const name of fieldsOfTab[tab]) expect(tabOfField(name)).toBe(tab)
  })

  it('S25 know no village beside the city', () => {
    expect(fieldNames.filter(name => /village/i.test(name))).toEqual([])
  })
})

describe('a form read back', () => {
  it('keeps what fits and leaves out what does not', () => {
    const read = readForm({ surname: 'Ngo', gender: 7, dateOfBirthUnknown: 'yes', unknown: 'x', city: null })
    expect(read).toEqual({ ...emptyForm(), surname: 'Ngo' })
  })

  it.each([undefined, null, 7, 'text', []])('is a new one when it is %o', stored => {
    expect(readForm(stored)).toEqual(emptyForm())
  })

  it('D14 may be incomplete but not longer than its fields', () => {
    expect(Draft.safeParse({}).success).toBe(true)
    expect(Draft.safeParse({ surname: 'x'.repeat(101) }).success).toBe(false)
    expect(Draft.safeParse({ surname: ['x'] }).success).toBe(false)
  })
})
