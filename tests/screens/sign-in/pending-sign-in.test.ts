import { describe, expect, it } from 'vitest'
import {
  contactFields,
  expirePendingCode,
  parseSignIn,
  readPendingContact,
  readUnexpired,
  readPendingSignIn,
  savePendingSignIn,
} from '#sign-in/pending-sign-in.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

const pending = { method: 'phone', value: '237671234567', until: 60_000, length: 60 } as const

describe('a pending sign-in', () => {
  it('survives a reload and is removed at the end (S86)', () => {
    const device = createFakeDevice()
    savePendingSignIn(device, pending)
    expect(readPendingSignIn(device)).toEqual(pending)
    expect(readPendingContact(device, 'phone')).toBe('237671234567')
    expect(readPendingContact(device, 'email')).toBeUndefined()
    savePendingSignIn(device, undefined)
    expect(readPendingSignIn(device)).toBeUndefined()
  })

  it.each([
    undefined,
    '',
    'null',
    '{',
    '[]',
    '{"method":"fax","value":"1"}',
    '{"method":"phone","value":""}',
  ])('is undefined when the storage contains %s', text => {
    expect(parseSignIn(text)).toBeUndefined()
  })

  it.each([
    { age: 0, length: 60, unexpired: true },
    { age: 59_999, length: 60, unexpired: true },
    { age: 60_000, length: 60, unexpired: false },
    // The code is still valid, but the server would send another one.
    { age: 59_999, length: 300, unexpired: true },
    { age: 60_000, length: 300, unexpired: false },
    { age: 16_000, length: 16, unexpired: false },
    // The clock was set back, so the age is unknown.
    { age: -1, length: 60, unexpired: false },
  ])('is unexpired after $age ms with a countdown of $length s: $unexpired', ({ age, length, unexpired }) => {
    const device = createFakeDevice()
    savePendingSignIn(device, { ...pending, until: device.now() - age + length * 1_000, length })
    expect(readUnexpired(device, pending) !== undefined).toBe(unexpired)
  })

  it('is unexpired for its own contact only, and until its code is spent', () => {
    const device = createFakeDevice()
    savePendingSignIn(device, { ...pending, until: device.now() + 60_000 })
    expect(readUnexpired(device, { ...pending, value: '237671234568' })).toBeUndefined()
    expect(readUnexpired(device, { ...pending, method: 'email' })).toBeUndefined()
    expirePendingCode(device)
    expect(readUnexpired(device, pending)).toBeUndefined()
    expect(readPendingContact(device, 'phone')).toBe('237671234567')
  })

  it('sends either a number or an e-mail address, never both', () => {
    expect(contactFields(pending)).toEqual({ msisdn: '237671234567', email: '' })
    expect(contactFields({ method: 'email', value: 'a@b.cm' })).toEqual({ msisdn: '', email: 'a@b.cm' })
  })
})
