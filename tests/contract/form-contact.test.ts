import { describe, expect, it } from 'vitest'
import { fromWire, tidyForm, toWire } from '#contract/application.ts'
import { splitMsisdn, subscriberDigits } from '#contract/phone.ts'
import { firstPassport } from '#support/applicants.ts'
import { faultOf, today } from './fault-of.ts'

function phoneFault(dialCode: string, phoneNumber: string) {
  return faultOf('phoneNumber', { ...firstPassport, dialCode, phoneNumber })
}

describe('a phone number', () => {
  it.each([
    ['PER11 LIM02', '237', 5, 'phone-home'],
    ['PER11 LIM02', '237', 6, undefined],
    ['LIM02 S07', '237', 12, undefined],
    ['LIM02 S07', '237', 13, 'phone-home'],
    ['PER12 LIM03 S06', '33', 4, 'phone-international'],
    ['PER12 LIM03 S06', '33', 5, undefined],
    ['LIM03 S07', '33', 13, undefined],
    ['LIM03 S07', '33', 14, 'phone-international'],
    ['PER12 LIM03 S06', '1', 5, 'phone-international'],
    ['PER12 LIM03 S06', '1', 6, undefined],
  ])('%s with code %s and %i digits', (_, dialCode, count, code) => {
    expect(phoneFault(dialCode, '6'.repeat(count))).toBe(code)
  })

  it('is taken as people write it', () => {
    expect(phoneFault('237', '6 71.23-45 (67)')).toBeUndefined()
    expect(phoneFault('237', '67123456x')).toBe('digits-only')
  })

  it('S04 PER14 never blocks when sign-in supplied it', () => {
    const locked = { today, locked: { phoneNumber: true, email: true } }
    expect(faultOf('phoneNumber', { ...firstPassport, phoneNumber: '12345' }, locked)).toBeUndefined()
    expect(faultOf('email', { ...firstPassport, email: 'odd address' }, locked)).toBeUndefined()
  })

  it.each([
    ['237', '+237 6 71 23 45 67', '671234567'],
    ['237', '00237671234567', '671234567'],
    ['237', '237237671234567', '671234567'],
    ['237', '0671234567', '671234567'],
    ['237', '671234567', '671234567'],
    ['33', '06 12 34 56 78', '612345678'],
  ])('of code %s typed %s is %s', (dialCode, typed, digits) => {
    expect(subscriberDigits(dialCode, typed)).toBe(digits)
  })

  it('S42 travels in one piece and is taken apart again', () => {
    const sent = toWire(firstPassport)
    expect(sent.phoneNumber).toBe('237671234567')
    expect(fromWire(sent)).toEqual(firstPassport)
    expect(toWire({ ...firstPassport, phoneNumber: '' }).phoneNumber).toBe('')
  })

  it('S42 of sign-in is parted by the longest code that fits', () => {
    expect(splitMsisdn('33612345678', ['3', '33', '237'])).toEqual({
      dialCode: '33',
      subscriber: '612345678',
    })
    expect(splitMsisdn('99912', ['33'])).toEqual({ dialCode: '237', subscriber: '99912' })
  })
})

describe('an e-mail address', () => {
  it.each(['a@b.cm', 'jean.ndi+pass@mail.gov.cm', "o'neil@exämple.org"])('PER16 may be %s', email => {
    expect(faultOf('email', { ...firstPassport, email })).toBeUndefined()
  })

  it.each(['a', 'a@b', 'a@b.c', '@b.cm', 'a b@c.cm', 'a@@b.cm', 'a@b..cm'])('PER16 is not %s', email => {
    expect(faultOf('email', { ...firstPassport, email })).toBe('email-invalid')
  })
})

describe('a form that is sent', () => {
  it('PER03 S75 has its names tidied', () => {
    const tidied = tidyForm({
      ...firstPassport,
      surname: '  Ngo   Biyong ',
      motherSurname: ' Ngo\u00a0 Mbock',
    })
    expect(tidied.surname).toBe('Ngo Biyong')
    expect(tidied.motherSurname).toBe('Ngo Mbock')
  })

  it('S42 has the number that was meant', () => {
    expect(tidyForm({ ...firstPassport, phoneNumber: '+237 6 71 23 45 67' }).phoneNumber).toBe('671234567')
  })
})
