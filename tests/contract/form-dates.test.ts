import { describe, expect, it } from 'vitest'
import type { FormValues } from '#contract/application.ts'
import { firstPassport, minorWithRepresentative, renewalAbroad } from '#support/applicants.ts'
import { faultOf, today } from './fault-of.ts'

const yesterday = '2026-06-14'
const tomorrow = '2026-06-16'

describe('a birth date', () => {
  it.each([
    ['31', '12', '1899', 'date-too-early'],
    ['01', '01', '1900', undefined],
    ['1', '1', '1900', undefined],
    ['15', '06', '2026', undefined],
    ['16', '06', '2026', 'date-in-future'],
    ['01', '01', '2027', 'date-in-future'],
  ])('LIM04 PER06 %s.%s.%s', (dayOfBirth, monthOfBirth, yearOfBirth, code) => {
    expect(faultOf('yearOfBirth', { ...firstPassport, dayOfBirth, monthOfBirth, yearOfBirth })).toBe(code)
  })

  it.each([
    ['29', '02', '2023', 'date-impossible'],
    ['29', '02', '2024', undefined],
    ['29', '02', '1900', 'date-impossible'],
    ['29', '02', '2000', undefined],
    ['31', '04', '1990', 'date-impossible'],
    ['00', '04', '1990', 'date-impossible'],
    ['12', '13', '1990', 'date-impossible'],
    ['ab', '04', '1990', 'date-impossible'],
    ['12', '04', '90', 'date-impossible'],
  ])('%s.%s.%s exists or not', (dayOfBirth, monthOfBirth, yearOfBirth, code) => {
    expect(faultOf('dayOfBirth', { ...firstPassport, dayOfBirth, monthOfBirth, yearOfBirth })).toBe(code)
  })

  it('S23 needs all three parts unless it is unknown', () => {
    const form = { ...firstPassport, dayOfBirth: '', monthOfBirth: '' }
    expect(faultOf('dayOfBirth', form)).toBe('required')
    expect(faultOf('monthOfBirth', form)).toBe('required')
    expect(faultOf('dayOfBirth', { ...form, dateOfBirthUnknown: true })).toBeUndefined()
    expect(faultOf('monthOfBirth', { ...form, dateOfBirthUnknown: true })).toBeUndefined()
  })

  it.each([
    ['1899', 'date-too-early'],
    ['1900', undefined],
    ['2026', undefined],
    ['2027', 'date-in-future'],
    ['62', 'date-impossible'],
    ['', 'required'],
  ])('PER07 LIM04 may be the year alone: %s', (yearOfBirth, code) => {
    expect(faultOf('yearOfBirth', { ...renewalAbroad, yearOfBirth })).toBe(code)
  })

  it.each([
    ['1899', 'date-too-early'],
    ['2026', undefined],
    ['2027', 'date-in-future'],
  ])('S23 of a representative may be the year alone too: %s', (reprYearOfBirth, code) => {
    const form = { ...minorWithRepresentative, reprDateOfBirthUnknown: true, reprYearOfBirth }
    expect(faultOf('reprYearOfBirth', { ...form, reprDayOfBirth: '', reprMonthOfBirth: '' })).toBe(code)
  })
})

type Dates = Pick<FormValues, 'nicDateOfIssuance' | 'nicDateOfExpiry'>

function nicFaults(nicDateOfIssuance: string, nicDateOfExpiry: string) {
  const form = { ...firstPassport, nicDateOfIssuance, nicDateOfExpiry } satisfies Dates
  return [faultOf('nicDateOfIssuance', form), faultOf('nicDateOfExpiry', form)]
}

function reprFaults(reprNicDateOfIssuance: string, reprNicDateOfExpiry: string) {
  const form = { ...minorWithRepresentative, reprNicDateOfIssuance, reprNicDateOfExpiry }
  return [faultOf('reprNicDateOfIssuance', form), faultOf('reprNicDateOfExpiry', form)]
}

describe('the dates of an identity card', () => {
  it.each([
    ['S03 DOC04 the same day is accepted', today, today, undefined, undefined],
    [
      'DOC04 a day after the expiry is refused',
      '2026-06-15',
      '2026-06-14',
      'issuance-after-expiry',
      'expiry-past',
    ],
    ['S73 an expiry of today is accepted', '2020-01-01', today, undefined, undefined],
    ['DOC05 an expiry of yesterday is refused', '2020-01-01', yesterday, undefined, 'expiry-past'],
    ['DOC10 an issuance of tomorrow is refused', tomorrow, '2030-01-01', 'date-in-future', undefined],
    ['DOC11 an expiry of tomorrow is accepted', '2020-01-01', tomorrow, undefined, undefined],
    ['a half typed date is not yet one', '2020--', '2030-01-', 'date-incomplete', 'date-incomplete'],
    [
      'a day that does not exist is refused',
      '2023-02-29',
      '2030-02-30',
      'date-impossible',
      'date-impossible',
    ],
  ])('%s', (_, issuance, expiry, first, second) => {
    expect(nicFaults(issuance, expiry)).toEqual([first, second])
  })

  it('DOC10 a passport of tomorrow is refused, one of today accepted', () => {
    expect(faultOf('eppDateOfIssuance', { ...renewalAbroad, eppDateOfIssuance: tomorrow })).toBe(
      'date-in-future',
    )
    expect(faultOf('eppDateOfIssuance', { ...renewalAbroad, eppDateOfIssuance: today })).toBeUndefined()
  })
})

describe('the dates of a representative’s identity card', () => {
  it.each([
    [
      'S03 REP11 the same day is refused',
      '2030-01-01',
      '2030-01-01',
      'date-in-future',
      'expiry-before-issuance',
    ],
    ['S03 REP11 the same past day is refused', today, today, undefined, 'expiry-before-issuance'],
    ['REP11 the next day is accepted', today, tomorrow, undefined, undefined],
    ['REP12 an expiry of yesterday is refused', '2020-01-01', yesterday, undefined, 'expiry-past'],
    ['S73 an expiry of today is accepted', '2020-01-01', today, undefined, undefined],
    ['a half typed date is not yet one', '2020-5-', '--3', 'date-incomplete', 'date-incomplete'],
  ])('%s', (_, issuance, expiry, first, second) => {
    expect(reprFaults(issuance, expiry)).toEqual([first, second])
  })

  it('REP09 are not asked for without a number', () => {
    const form = {
      ...minorWithRepresentative,
      reprNicNumber: '',
      reprNicDateOfIssuance: '',
      reprNicDateOfExpiry: '',
    }
    expect(faultOf('reprNicDateOfIssuance', form)).toBeUndefined()
    expect(faultOf('reprNicDateOfExpiry', form)).toBeUndefined()
  })
})
