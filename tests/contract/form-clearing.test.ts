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
import { firstPassport, minorWithRepresentative, renewalBornAbroad } from '#support/data/applicants.ts'

describe('clearHidden', () => {
  const everything: FormValues = {
    ...minorWithRepresentative,
    city: 'Paris',
    resAddressCity: 'Paris',
    reprCity: 'Paris',
    otherOccupation: 'Griot',
    reprOtherOccupation: 'Griot',
    nicNumber: '110123456789',
    nicPlaceOfIssuance: 'Yaoundé',
    nicDateOfIssuance: '2021-05-10',
    nicDateOfExpiry: '2091-05-10',
    eppNumber: '01234567',
    eppDateOfIssuance: '2016-02-29',
  }

  const cases: [string, Partial<FormValues>, (keyof FormValues)[]][] = [
    ['the city fields of places in Cameroon (S72)', {}, ['city', 'resAddressCity', 'reprCity']],
    [
      'the divisions of a birth abroad (S72)',
      { placeOfBirth: '11037' },
      ['regionCode', 'departmentCode', 'localityId'],
    ],
    [
      'the divisions of a residence abroad (S72)',
      { resAddressCountry: '11037' },
      ['resAddressRegionCode', 'resAddressDepartmentCode', 'resAddressLocalityId'],
    ],
    [
      'day and month of an unknown date (PER07)',
      { dateOfBirthUnknown: true },
      ['dayOfBirth', 'monthOfBirth'],
    ],
    ['the typed occupation when one of the list is chosen', {}, ['otherOccupation', 'reprOtherOccupation']],
    [
      'the card fields of an applicant without a card (DOC02 S71)',
      { selectNic: '1' },
      ['nicNumber', 'nicDateOfIssuance', 'nicDateOfExpiry', 'nicPlaceOfIssuance'],
    ],
    [
      'the dates and place of a card without a number (REP13 S71)',
      { reprNicNumber: ' ' },
      ['reprNicDateOfIssuance', 'reprNicDateOfExpiry', 'reprNicPlaceOfIssuance'],
    ],
    [
      'the previous passport of a first application (S58)',
      { reason: '11211' },
      ['eppNumber', 'eppDateOfIssuance'],
    ],
    [
      'all fields of a representative that is not wanted (REP02)',
      { addReprData: 'NO' },
      fieldNames.filter(name => name.startsWith('repr')),
    ],
  ]

  it.each(cases)('clears %s', (_, change, names) => {
    const cleared = clearHidden({ ...everything, ...change })
    for (const name of names)
      expect([name, cleared[name]]).toEqual([name, typeof everything[name] === 'boolean' ? false : ''])
  })

  it.each([
    ['a first passport', firstPassport],
    ['a renewal', renewalBornAbroad],
    ['a minor', minorWithRepresentative],
  ])('changes nothing in a valid form of %s', (_, form) => {
    expect(clearHidden(form)).toEqual(form)
  })
})

describe('clearedBy', () => {
  it.each([
    ['placeOfBirth', ['regionCode', 'departmentCode', 'localityId', 'city']],
    ['regionCode', ['departmentCode', 'localityId']],
    ['departmentCode', ['localityId']],
    ['localityId', []],
    ['city', []],
  ] as const)('%s clears the answers that depend on it (S72)', (changed, cleared) => {
    expect(clearedBy(changed, birthPlace)).toEqual(cleared)
  })
})

describe('emptyForm', () => {
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
  ] as const)('%s: sets %s to %s', (_, field, value) => {
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
  ] as const)('%s: are exactly those of the specification on %s', (_, tab, names) => {
    expect([...fieldsOfTab[tab]].toSorted()).toEqual(names.split(' ').toSorted())
    for (const name of fieldsOfTab[tab]) expect(tabOfField(name)).toBe(tab)
  })

  it('contain no village beside the city (S25)', () => {
    expect(fieldNames.filter(name => /village/i.test(name))).toEqual([])
  })
})

describe('readForm', () => {
  it('keeps values of the right type, and gives every other field its value of a new form', () => {
    const read = readForm({ surname: 'Ngo', gender: 7, dateOfBirthUnknown: 'yes', unknown: 'x', city: null })
    expect(read).toEqual({ ...emptyForm(), surname: 'Ngo' })
  })

  it.each([undefined, null, 7, 'text', []])('returns a new form when the stored value is %o', stored => {
    expect(readForm(stored)).toEqual(emptyForm())
  })
})

describe('Draft', () => {
  it('accepts an incomplete form, but no value that is longer than its field allows or has a wrong type (D14)', () => {
    expect(Draft.safeParse({}).success).toBe(true)
    expect(Draft.safeParse({ surname: 'x'.repeat(101) }).success).toBe(false)
    expect(Draft.safeParse({ surname: ['x'] }).success).toBe(false)
  })
})
