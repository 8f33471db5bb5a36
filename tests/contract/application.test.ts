import { describe, expect, it } from 'vitest'
import {
  ApplicationData,
  checkAnswers,
  clearHidden,
  completeApplication,
  Draft,
  emptyForm,
  fieldNames,
  findIssues,
  fromWire,
  normaliseForm,
  readForm,
  SaveBody,
  shownFields,
  tabOfField,
} from '#contract/application.ts'
import { differingGroups, fieldGroups } from '#contract/field-groups.ts'
import { firstPassport, minorWithRepresentative } from '#support/data/applicants.ts'
import { today } from '#support/data/form-cases/form-case.ts'

const groupOf = (first: string) => fieldGroups.find(group => group.some(field => field === first))
const unlistedFields = () => ['surname' as const]
const verified = { phoneNumber: false, email: false }
const textFields = fieldNames.filter(field => typeof emptyForm()[field] === 'string')

describe('the fields of a form', () => {
  it('are shown unless another answer hides them (FRM11)', () => {
    const shown = shownFields(emptyForm())
    expect(shown).toContain('surname')
    expect(shown).not.toContain('reprSurname')
    expect(shownFields(minorWithRepresentative)).toContain('reprSurname')
    expect(new Set(shownFields(minorWithRepresentative)).size).toBeLessThan(fieldNames.length)
  })

  it('are emptied for day and month when the birth date of the representative is unknown (REP02, REP14)', () => {
    const unknown = {
      ...minorWithRepresentative,
      reprDayOfBirth: '5',
      reprMonthOfBirth: '6',
      reprYearOfBirth: '1980',
      reprDateOfBirthUnknown: true,
    }
    expect(clearHidden(unknown)).toMatchObject({
      reprDayOfBirth: '',
      reprMonthOfBirth: '',
      reprYearOfBirth: '1980',
    })
    expect(clearHidden({ ...unknown, reprDateOfBirthUnknown: false }).reprDayOfBirth).toBe('5')
  })

  it('are on their tab, and an unknown field on the first one (NAV05)', () => {
    expect(['reason', 'surname', 'reprCity', 'eppNumber', 'unknown'].map(tabOfField)).toEqual([
      'GeneralData',
      'PersonData',
      'ParentData',
      'NicData',
      'GeneralData',
    ])
  })
})

describe('the groups of fields (D32)', () => {
  it('hold together what is one answer', () => {
    expect(groupOf('occupation')).toEqual(['occupation', 'otherOccupation'])
    expect(groupOf('reprOccupation')).toEqual(['reprOccupation', 'reprOtherOccupation'])
    expect(groupOf('reprDayOfBirth')).toEqual([
      'reprDayOfBirth',
      'reprMonthOfBirth',
      'reprYearOfBirth',
      'reprDateOfBirthUnknown',
    ])
    expect(groupOf('surname')).toEqual(['surname'])
  })

  it('differ when one of their fields differs as it is sent', () => {
    const other = { ...firstPassport, surname: 'Mbock', phoneNumber: '699000111' }
    expect(differingGroups(firstPassport, other)).toEqual([['surname'], ['dialCode', 'phoneNumber']])
    const spaced = { ...firstPassport, surname: ` ${firstPassport.surname} ` }
    expect(differingGroups(firstPassport, spaced)).toEqual([])
  })
})

describe('the check of a form', () => {
  it('returns the values as they are stored, and an issue for a value of a wrong type', () => {
    expect(checkAnswers(Draft, firstPassport)).toEqual({ kind: 'form', values: normaliseForm(firstPassport) })
    expect(findIssues({ surname: [] }, { today, verified }).length).toBeGreaterThan(0)
  })

  it('uses the context that it gets, also when the context of the call before differs in one part only', () => {
    const form = { ...firstPassport, selectNic: '2', nicNumber: '1', nicDateOfIssuance: '2020-01-01' }
    const expiring = { ...form, nicDateOfExpiry: today, phoneNumber: '1', email: 'x' }
    const fields = (context: Parameters<typeof findIssues>[1]) =>
      findIssues(expiring, context).map(({ field, code }) => `${field} ${code}`)
    const base = { today, verified }
    const contexts = [
      { ...base, today: '2999-01-01' },
      { ...base, verified: { ...verified, phoneNumber: true } },
      { ...base, verified: { ...verified, email: true } },
      { ...base, unlistedFields },
    ]
    const plain = fields(base)
    for (const context of contexts) {
      expect(fields(context)).not.toEqual(plain)
      expect(fields(base)).toEqual(plain)
    }
    expect(fields({ ...base, unlistedFields })).toContain('surname not-in-list')
  })

  it('leaves a verified number as it is (S04)', () => {
    const spaced = { ...firstPassport, phoneNumber: '+237 6 71 23' }
    const known = { today, verified: { phoneNumber: true, email: false } }
    expect(findIssues(spaced, known).map(({ field }) => field)).not.toContain('phoneNumber')
    const international = { ...firstPassport, phoneNumber: '237671234567' }
    expect(completeApplication(known).parse(international).phoneNumber).toBe('237671234567')
  })
})

describe('a form from elsewhere', () => {
  it('has each answer cut to 1,000 characters, which is still too long for every field', () => {
    expect(readForm({ surname: 'a'.repeat(1_001) }).surname).toHaveLength(1_000)
    expect(readForm({ surname: 'a'.repeat(1_000) }).surname).toHaveLength(1_000)
    const cut = readForm(Object.fromEntries(textFields.map(field => [field, '1'.repeat(1_001)])))
    const checked = checkAnswers(Draft, cut)
    expect(checked.kind === 'faults' && checked.issues.map(({ field }) => field)).toEqual(textFields)
    expect(readForm({ dateOfBirthUnknown: true }).dateOfBirthUnknown).toBe(true)
  })

  it.each([
    [{ dialCode: '237', phoneNumber: '237671234567' }, '671234567'],
    [{ dialCode: 237, phoneNumber: 237_671_234_567 }, '671234567'],
    [{ dialCode: '+237', phoneNumber: '+237 671234567' }, '671234567'],
    [{ dialCode: '33', phoneNumber: '237671234567' }, '237671234567'],
    [{ dialCode: '', phoneNumber: '+237 671' }, '+237 671'],
    [{ dialCode: null, phoneNumber: '+237 671' }, '+237 671'],
    [{ dialCode: '237', phoneNumber: null }, null],
    [{ dialCode: true, phoneNumber: 'true1' }, 'true1'],
    [{ dialCode: null, phoneNumber: null }, null],
  ])('with %j has the phone number %s for the form (S42)', (body, phoneNumber) => {
    expect(fromWire<Record<string, unknown>>(body)['phoneNumber']).toBe(phoneNumber)
  })

  it('that has a text longer than its field allows still gets a normalised phone number', () => {
    const long = { ...firstPassport, travelDestination: 'é'.repeat(101), phoneNumber: '+237671234567' }
    expect(normaliseForm(long)).toMatchObject({
      travelDestination: long.travelDestination,
      phoneNumber: '671234567',
    })
  })

  it('may lack every field, and gets a default for each one that is no answer (API09, API10, S08, D14)', () => {
    expect(SaveBody.parse({ surname: 'Ngo' })).toEqual({ surname: 'Ngo', additionalData: '', draft: false })
    expect(SaveBody.safeParse({ additionalData: 'a'.repeat(100) }).success).toBe(true)
    expect(SaveBody.safeParse({ additionalData: 'a'.repeat(101) }).success).toBe(false)
    expect(SaveBody.safeParse({ baseVersion: '3' }).success).toBe(false)
    const data = ApplicationData.parse({})
    expect(data).toMatchObject({
      additionalData: '',
      draft: false,
      changeAppointmentAccess: false,
      appointmentChangeCount: 1,
    })
    expect(ApplicationData.parse({ appointmentChangeCount: 0 }).appointmentChangeCount).toBe(0)
    const names = { regionName: 'Centre', departmentName: 'Mfoundi', localityName: 'Yaoundé' }
    expect(ApplicationData.parse({ addressCameroonForWeb: names }).addressCameroonForWeb).toEqual(names)
    const empty = { regionName: '', departmentName: '', localityName: '' }
    expect(ApplicationData.parse({ addressCameroonForWeb: {} }).addressCameroonForWeb).toEqual(empty)
    for (const name of Object.keys(names))
      expect(ApplicationData.safeParse({ addressCameroonForWeb: { [name]: {} } }).success).toBe(false)
  })
})
