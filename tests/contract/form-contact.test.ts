import { describe, expect, it } from 'vitest'
import { findIssues, fromWire, normaliseForm, toWire } from '#contract/application.ts'
import { splitMsisdn, normaliseSubscriber } from '#contract/phone.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { today } from '#support/data/form-cases/form-case.ts'

const typed: [string, string, string][] = [
  ['237', '+237 6 71 23 45 67', '671234567'],
  ['237', '00237671234567', '671234567'],
  ['237', '237237671234567', '671234567'],
  ['237', '0671234567', '671234567'],
  ['237', '671234567', '671234567'],
  ['237', '\u202a+237\u00a06 71 23 45 67\u202c', '671234567'],
  ['237', '671–23/45-67', '671234567'],
  ['33', '06 12 34 56 78', '612345678'],
  ['33', '+33 (0)6 12 34 56 78', '612345678'],
  ['33', '(+33) 612345678', '612345678'],
  ['39', '06 1234567', '061234567'],
]

describe('a phone number', () => {
  it.each(typed)(
    'with dial code %s, typed as %s, has the subscriber digits %s',
    (dialCode, number, digits) => {
      expect(normaliseSubscriber(dialCode, number)).toBe(digits)
      expect(normaliseSubscriber(dialCode, digits)).toBe(digits)
    },
  )

  it.each(typed)(
    'with dial code %s, typed as %s, has no issue, is sent with its dial code, and is read back as %s (S42)',
    (dialCode, number, digits) => {
      const form = { ...firstPassport, dialCode, phoneNumber: number }
      const sent = toWire(normaliseForm(form))
      expect(sent.phoneNumber).toBe(`${dialCode}${digits}`)
      expect(fromWire(sent).phoneNumber).toBe(digits)
      expect(findIssues(form, { today, verified: { phoneNumber: false, email: false } })).toEqual([])
    },
  )

  it('has no issue when it was verified at sign-in, nor has the e-mail address (S04 PER14)', () => {
    const context = { today, verified: { phoneNumber: true, email: true } }
    const form = { ...firstPassport, phoneNumber: '12345', email: 'odd address' }
    expect(findIssues(form, context)).toEqual([])
    const long = { ...form, email: `${'a'.repeat(50)}@b.cm` }
    expect(findIssues(long, context)).toEqual([])
    const verified = { phoneNumber: true, email: false }
    expect(findIssues(long, { today, verified })).toEqual([{ field: 'email', code: 'too-long-50' }])
  })

  it('is sent with its dial code, and split again when the form is read (S42)', () => {
    const sent = toWire(firstPassport)
    expect(sent.phoneNumber).toBe('237671234567')
    expect(fromWire(sent)).toEqual(firstPassport)
    expect(toWire({ ...firstPassport, phoneNumber: '' }).phoneNumber).toBe('')
  })

  it('from the sign-in is split after its longest matching dial code, or gets code 237 (S42)', () => {
    expect(splitMsisdn('33612345678', ['3', '33', '237'])).toEqual({
      dialCode: '33',
      subscriber: '612345678',
    })
    expect(splitMsisdn('99912', ['33'])).toEqual({ dialCode: '237', subscriber: '99912' })
  })
})

describe('normaliseForm', () => {
  it('normalises the names (PER03 S75)', () => {
    const normalised = normaliseForm({
      ...firstPassport,
      surname: '  Ngo   Biyong ',
      motherSurname: ' Ngo\u00a0 Mbock',
    })
    expect(normalised.surname).toBe('Ngo Biyong')
    expect(normalised.motherSurname).toBe('Ngo Mbock')
  })
})
