import { describe, expect, it } from 'vitest'
import { emptyForm, findIssues, type FormValues } from '#contract/application.ts'
import { dateLimits, type LimitedDate } from '#contract/date-limits.ts'
import { splitDate } from '#contract/dates.ts'
import { firstPassport, minorWithRepresentative } from '#support/data/applicants.ts'

const today = '2026-06-15'
const dayAfter = '2026-06-16'
const dayBefore = '2026-06-14'

/** The form with this date, and the fields whose issues are about it. */
const formsWith: Record<LimitedDate, (date: string) => { form: Partial<FormValues>; fields: string[] }> = {
  dateOfBirth: date => {
    const { day, month, year } = splitDate(date)
    return {
      form: { ...firstPassport, dayOfBirth: day, monthOfBirth: month, yearOfBirth: year },
      fields: ['dayOfBirth', 'yearOfBirth'],
    }
  },
  reprDateOfBirth: date => {
    const { day, month, year } = splitDate(date)
    return {
      form: {
        ...minorWithRepresentative,
        reprDayOfBirth: day,
        reprMonthOfBirth: month,
        reprYearOfBirth: year,
      },
      fields: ['reprDayOfBirth', 'reprYearOfBirth'],
    }
  },
  nicDateOfIssuance: date => ({
    form: { ...firstPassport, selectNic: '2', nicDateOfIssuance: date, nicDateOfExpiry: '2036-06-15' },
    fields: ['nicDateOfIssuance'],
  }),
  nicDateOfExpiry: date => ({
    form: { ...firstPassport, selectNic: '2', nicDateOfIssuance: '2020-01-01', nicDateOfExpiry: date },
    fields: ['nicDateOfExpiry'],
  }),
  reprNicDateOfIssuance: date => ({
    form: {
      ...minorWithRepresentative,
      reprNicNumber: '1',
      reprNicDateOfIssuance: date,
      reprNicDateOfExpiry: '2036-06-15',
    },
    fields: ['reprNicDateOfIssuance'],
  }),
  reprNicDateOfExpiry: date => ({
    form: {
      ...minorWithRepresentative,
      reprNicNumber: '1',
      reprNicDateOfIssuance: '2020-01-01',
      reprNicDateOfExpiry: date,
    },
    fields: ['reprNicDateOfExpiry'],
  }),
  eppDateOfIssuance: date => ({
    form: { ...firstPassport, reason: '11212', eppNumber: 'A1', eppDateOfIssuance: date },
    fields: ['eppDateOfIssuance'],
  }),
}

function issuesOf(name: LimitedDate, date: string): string[] {
  const { form, fields } = formsWith[name](date)
  return findIssues({ ...emptyForm(), ...form }, { today, verified: { phoneNumber: false, email: false } })
    .filter(({ field }) => fields.includes(field))
    .map(({ code }) => code)
}

describe('the limits of a calendar (PER06, DOC10, DOC11)', () => {
  it.each<[LimitedDate, { min?: string; max?: string }]>([
    ['dateOfBirth', { min: '1900-01-01', max: today }],
    ['reprDateOfBirth', { min: '1900-01-01', max: today }],
    ['nicDateOfIssuance', { max: today }],
    ['nicDateOfExpiry', { min: today }],
    ['reprNicDateOfIssuance', { max: today }],
    ['reprNicDateOfExpiry', { min: today }],
    ['eppDateOfIssuance', { max: today }],
  ])('of %s are %o: the rules accept these days, and refuse the days beyond', (name, limits) => {
    expect(dateLimits(name, today)).toEqual(limits)
    if (limits.max) {
      expect(issuesOf(name, limits.max)).toEqual([])
      expect(issuesOf(name, dayAfter)).toEqual(['date-in-future'])
    }
    if (limits.min === '1900-01-01') {
      expect(issuesOf(name, limits.min)).toEqual([])
      expect(issuesOf(name, '1899-12-31')).toEqual(['date-too-early'])
    } else if (limits.min) {
      expect(issuesOf(name, limits.min)).toEqual([])
      expect(issuesOf(name, dayBefore)).toEqual(['expiry-past'])
    }
  })
})
