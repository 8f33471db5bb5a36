import { describe, expect, it } from 'vitest'
import { ApplicationData, type FormValues, toWire } from '#contract/application.ts'
import { firstPassport, minorWithRepresentative, renewalBornAbroad } from '#support/data/applicants.ts'
import { textsOf } from '#support/data/texts.ts'
import { summaryNames } from '#summary/summary-names.ts'
import { type SectionName, summarySections } from '#summary/summary-sections.ts'

const names = summaryNames(textsOf('fr'), {
  language: 'fr',
  countries: [
    { id: '10998', name: 'Cameroun' },
    { id: '11037', name: 'France' },
  ],
  occupations: [{ id: '06', descrEn: 'Trader', descrFr: 'Commerçant(e)' }],
})
const home = { regionName: 'Centre', departmentName: 'Mfoundi', localityName: 'Yaoundé 1er' }

function show(form: FormValues) {
  const data = ApplicationData.parse({
    ...toWire(form),
    addressCameroonForWeb: home,
    resAddressCameroonForWeb: home,
    reprAddressCameroonForWeb: home,
  })
  return summarySections(data, names)
}

function rowsOf(form: FormValues, section: SectionName) {
  return Object.fromEntries(
    show(form)
      .find(({ name }) => name === section)
      ?.rows.map(({ label, value }) => [label, value]) ?? [],
  )
}

describe('summarySections', () => {
  it.each<[string, FormValues, SectionName[]]>([
    ['CNF01, CNF02', firstPassport, ['personal', 'residence', 'nic', 'parents']],
    ['CNF03', renewalBornAbroad, ['personal', 'residence', 'passport', 'parents']],
    [
      'CNF04, FIN04',
      { ...minorWithRepresentative, nicNumber: '1', selectNic: '3', eppNumber: '1' },
      ['personal', 'residence', 'nic', 'passport', 'parents', 'representative'],
    ],
  ])('returns the sections with content, in order (%s)', (_, form, expected) => {
    expect(show(form).map(({ name }) => name)).toEqual(expected)
  })

  it('returns no NIC section when only the kind of card is known (CNF02, S71)', () => {
    const form = {
      ...firstPassport,
      nicNumber: '',
      nicPlaceOfIssuance: '',
      nicDateOfIssuance: '',
      nicDateOfExpiry: '',
    }
    expect(show(form).map(({ name }) => name)).not.toContain('nic')
    expect(show({ ...form, nicPlaceOfIssuance: 'Yaoundé' }).map(({ name }) => name)).toContain('nic')
  })

  it('returns the section of the previous passport for a date alone (CNF03)', () => {
    const form = { ...firstPassport, eppDateOfIssuance: '2016-02-29' }
    expect(rowsOf(form, 'passport')).toEqual({ eppDateOfIssuance: '29.02.2016' })
  })

  it('returns no representative section without a surname (CNF04)', () => {
    const sections = show({ ...minorWithRepresentative, reprSurname: ' ' })
    expect(sections.map(({ name }) => name)).not.toContain('representative')
  })
})

describe('the rows of summarySections', () => {
  it('start with the reason and the travel (S57)', () => {
    const [personal] = show(firstPassport)
    expect(personal?.rows.slice(0, 3)).toEqual([
      { label: 'reason', value: 'Premier passeport' },
      { label: 'travelDestination', value: 'France' },
      { label: 'reasonForTravel', value: 'Études' },
    ])
  })

  it('leave out empty answers (CNF05, FIN06)', () => {
    const rows = show({ ...firstPassport, givenName: ' ', email: '', occupation: '00' }).flatMap(
      section => section.rows,
    )
    expect(rows.filter(({ value }) => value.trim() === '')).toEqual([])
    const labels = rows.map(({ label }) => label)
    for (const label of ['givenName', 'email', 'occupation', 'fatherGivenName'])
      expect(labels).not.toContain(label)
  })

  it('show dates as DD.MM.YYYY, without the parts that are not known (CNF06, FRM18)', () => {
    expect(rowsOf(firstPassport, 'personal')['dateOfBirth']).toBe('27.03.1990')
    expect(rowsOf({ ...firstPassport, dayOfBirth: '7', monthOfBirth: '3' }, 'personal')['dateOfBirth']).toBe(
      '07.03.1990',
    )
    expect(rowsOf(renewalBornAbroad, 'personal')['dateOfBirth']).toBe('1962')
    expect(rowsOf(firstPassport, 'nic')).toMatchObject({
      nicDateOfIssuance: '10.05.2021',
      nicDateOfExpiry: '10.05.2091',
    })
  })

  it.each([
    [{ dayOfBirth: '', monthOfBirth: '3' }, '–.3.1990'],
    [{ dayOfBirth: '5', monthOfBirth: '' }, '5.–.1990'],
    [{ dayOfBirth: '12', monthOfBirth: '5', yearOfBirth: '' }, '12.5.–'],
  ])('show the parts of an incomplete date of birth in their places: %o', (parts, text) => {
    expect(rowsOf({ ...firstPassport, ...parts }, 'personal')['dateOfBirth']).toBe(text)
  })

  it('show texts for codes and names for ids', () => {
    expect(rowsOf(firstPassport, 'personal')).toMatchObject({
      gender: 'Féminin',
      placeOfBirth: 'Cameroun',
      regionCode: 'Centre',
      departmentCode: 'Mfoundi',
      localityId: 'Yaoundé 1er',
      occupation: 'Commerçant(e)',
      phoneNumber: '+237 6 71 23 45 67',
    })
    expect(rowsOf(firstPassport, 'nic')['selectNic']).toBe('Nouvelle CNI')
    expect(rowsOf(firstPassport, 'parents')['representative']).toBe('Aucun')
  })

  it('show the city abroad and the text of another occupation', () => {
    expect(rowsOf(renewalBornAbroad, 'personal')).toMatchObject({
      placeOfBirth: 'France',
      city: 'Marseille',
      occupation: 'Griot',
    })
    expect(rowsOf(renewalBornAbroad, 'personal')['regionCode']).toBeUndefined()
  })

  it('show an unknown code as it is', () => {
    const rows = rowsOf({ ...firstPassport, placeOfBirth: '99999', city: 'X', occupation: '77' }, 'personal')
    expect(rows).toMatchObject({ placeOfBirth: '99999', occupation: '77' })
  })

  it('name the tab of each section', () => {
    const form = { ...minorWithRepresentative, nicNumber: '1', eppNumber: '1' }
    expect(show(form).map(({ tab }) => tab)).toEqual([
      'PersonData',
      'PersonData',
      'NicData',
      'NicData',
      'ParentData',
      'ParentData',
    ])
  })
})
