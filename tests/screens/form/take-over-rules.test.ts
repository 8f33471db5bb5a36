import { describe, expect, it } from 'vitest'
import { emptyForm, type FormValues } from '#contract/application.ts'
import type { Beneficiary } from '#contract/beneficiary.ts'
import { isUnderAge } from '#contract/birth.ts'
import { birthDate } from '#contract/person.ts'
import { findEarlier } from '#screens/form/find-earlier.ts'
import { type PersonGroup, takeOverRepresentative } from '#screens/form/take-over-representative.ts'
import { takeOver, type TakeOverGroup } from '#screens/form/take-over-rules.ts'
import { firstPassport, minorWithRepresentative } from '#support/data/applicants.ts'

const today = '2026-06-15'
const adult: FormValues = { ...firstPassport, email: 'ada@example.cm' }
const child: FormValues = { ...minorWithRepresentative, yearOfBirth: '2015' }
const everyGroup: TakeOverGroup[] = ['address', 'contact', 'parents', 'representative']

function takeOverFrom({
  earlier,
  current = {},
  beneficiary,
}: {
  earlier: FormValues
  current?: Partial<FormValues>
  beneficiary?: Beneficiary | undefined
}) {
  return takeOver({ earlier, current: { ...emptyForm(), ...current }, beneficiary, today })
}

describe('the answers of an earlier application', () => {
  it.each<[string, Beneficiary | undefined, FormValues, TakeOverGroup[]]>([
    ['of an adult, for the account holder', 'me', adult, ['address', 'contact', 'parents']],
    ['of an adult, for a child', 'child', adult, ['address', 'contact']],
    ['of an adult, for someone else', 'other', adult, ['address', 'contact', 'parents']],
    [
      'of an adult, when it is not known for whom the new one is',
      undefined,
      adult,
      ['address', 'contact', 'parents'],
    ],
    ['of a child, for the account holder', 'me', child, ['address', 'contact']],
    ['of a child, for a child', 'child', child, everyGroup],
    ['of a child, for someone else', 'other', child, everyGroup],
    ['of a child, when it is not known for whom the new one is', undefined, child, everyGroup],
    ['of a child without a representative', 'child', { ...child, addReprData: 'NO' }, everyGroup.slice(0, 3)],
    ['without an answer', undefined, emptyForm(), []],
  ])('%s: fill these groups (FRM20)', (_, beneficiary, earlier, groups) => {
    expect(takeOverFrom({ earlier, beneficiary }).groups).toEqual(groups)
  })

  it('are the whole address, contact and parents, and nothing of the person (FRM20)', () => {
    expect(takeOverFrom({ earlier: adult, beneficiary: 'me' }).answers).toEqual({
      resAddressCountry: '10998',
      resAddressRegionCode: 'LITTORAL',
      resAddressDepartmentCode: 'WOURI',
      resAddressLocalityId: '5004001',
      resAddressCity: '',
      resAddressStreet: 'Rue 1.234, Bonapriso',
      dialCode: '237',
      phoneNumber: '671234567',
      email: 'ada@example.cm',
      motherSurname: 'Ngo Mbock',
      motherGivenName: 'Marie-Thérèse',
      fatherSurname: 'Biyong',
      fatherGivenName: '',
    })
  })

  it.each<[string, Partial<FormValues>, TakeOverGroup[]]>([
    ['another street', { resAddressStreet: 'Rue 2' }, ['contact', 'parents']],
    ['another region', { resAddressRegionCode: 'WEST' }, ['contact', 'parents']],
    ['another phone number', { phoneNumber: '699000000' }, ['address', 'contact', 'parents']],
    [
      'another phone number and e-mail address',
      { phoneNumber: '699000000', email: 'b@example.cm' },
      ['address', 'parents'],
    ],
    ['a mother', { motherSurname: 'Ngo' }, ['address', 'contact', 'parents']],
    ['both parents', { motherSurname: 'Ngo', fatherGivenName: 'Paul' }, ['address', 'contact']],
  ])('leave what is typed already: %s (FRM20)', (_, current, groups) => {
    const filled = takeOverFrom({ earlier: adult, current, beneficiary: 'me' })
    expect(filled.groups).toEqual(groups)
    for (const field of Object.keys(current)) expect(filled.answers).not.toHaveProperty(field)
  })

  it.each([
    ['', true],
    ['YES', true],
    ['NO', false],
  ])('fill the representative when addReprData is "%s": %s (FRM20, REP15)', (addReprData, isFilled) => {
    const { groups, answers } = takeOverFrom({
      earlier: child,
      current: { addReprData },
      beneficiary: 'child',
    })
    expect(groups.includes('representative')).toBe(isFilled)
    expect(answers.reprSurname).toBe(isFilled ? child.reprSurname : undefined)
  })
})

describe('the person of an earlier application, as the representative of a child (REP17)', () => {
  const noCard = { selectNic: '1', nicNumber: '', nicDateOfIssuance: '', nicDateOfExpiry: '' }

  it.each<[string, FormValues, Partial<FormValues>, PersonGroup[]]>([
    ['of an adult', adult, {}, ['identity', 'occupation', 'card']],
    ['of an adult without an occupation', { ...adult, occupation: '' }, {}, ['identity', 'card']],
    ['of an adult without a card', { ...adult, ...noCard }, {}, ['identity', 'occupation']],
    [
      'of an adult who has typed a card and then chosen none',
      { ...adult, selectNic: '1' },
      {},
      ['identity', 'occupation'],
    ],
    ['of a child', child, {}, []],
    ['of an adult, when a surname of the representative is typed', adult, { reprSurname: 'Fouda' }, []],
    ['of an adult, when given names of the representative are typed', adult, { reprGivenName: 'Paul' }, []],
    ['of an adult, when a birth date of the representative is typed', adult, { reprYearOfBirth: '1980' }, []],
    [
      'of an adult, when a card of the representative is typed',
      adult,
      { reprNicNumber: '1' },
      ['identity', 'occupation'],
    ],
  ])('%s fills these groups', (_, earlier, current, groups) => {
    const filled = takeOverRepresentative({ earlier, current: { ...emptyForm(), ...current }, today })
    expect(filled.groups).toEqual(groups)
  })

  it('fills each field of the representative with the answer of that person, and no other field', () => {
    const abroad = { ...adult, placeOfBirth: '11037', regionCode: '', departmentCode: '', localityId: '' }
    const earlier = { ...abroad, city: 'Marseille', occupation: '33', otherOccupation: 'Griot' }
    expect(takeOverRepresentative({ earlier, current: emptyForm(), today }).answers).toEqual({
      reprSurname: 'Ngo Biyong',
      reprGivenName: 'Éloïse Œdipe',
      reprGender: '11217',
      reprDayOfBirth: '27',
      reprMonthOfBirth: '03',
      reprYearOfBirth: '1990',
      reprDateOfBirthUnknown: false,
      reprPlaceOfBirth: '11037',
      reprRegionCode: '',
      reprDepartmentCode: '',
      reprLocalityId: '',
      reprCity: 'Marseille',
      reprCountryOfResidence: '10998',
      reprOccupation: '33',
      reprOtherOccupation: 'Griot',
      reprNicNumber: '110123456789',
      reprNicDateOfIssuance: '2021-05-10',
      reprNicDateOfExpiry: '2091-05-10',
      reprNicPlaceOfIssuance: 'Yaoundé',
    })
  })
})

describe('the earlier application', () => {
  const listed = ['NEW', 'DELETED', 'LATER_STATE', 'SENT_TO_CM', 'PAYMENT_DONE'].map(
    (currentState, index) => ({
      id: String(index),
      currentState,
    }),
  )

  it('is the newest one that was confirmed, and not the one whose form is shown (FRM20)', () => {
    expect(findEarlier(listed, '0')?.id).toBe('3')
    expect(findEarlier(listed, '3')?.id).toBe('4')
    expect(findEarlier(listed.slice(0, 3), '0')).toBeUndefined()
  })
})

describe('a birth date', () => {
  it.each([
    ['15', '06', '2008', false, false],
    ['16', '06', '2008', false, true],
    ['14', '06', '2026', false, true],
    ['1', '1', '1990', false, false],
    ['', '', '2009', true, true],
    ['', '', '2008', true, false],
    ['', '', '2009', false, false],
    ['31', '02', '2015', false, false],
    ['1', '1', '2027', false, false],
    ['1', '1', '20', false, false],
  ])('%s.%s.%s, the day unknown: %s, is under 18: %s (REP15)', (day, month, year, unknown, expected) => {
    const values = { dayOfBirth: day, monthOfBirth: month, yearOfBirth: year }
    expect(isUnderAge(values, birthDate, { unknown, today })).toBe(expected)
  })
})
