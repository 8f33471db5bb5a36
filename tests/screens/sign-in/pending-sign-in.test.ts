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

describe('a sign-in that waits for its code', () => {
  it('is still there after a reload (S86), and gone when it is over', () => {
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
  ])('is none when the store holds %s', text => {
    expect(parseSignIn(text)).toBeUndefined()
  })

  it.each([
    { age: 0, length: 60, fresh: true },
    { age: 59_999, length: 60, fresh: true },
    { age: 60_000, length: 60, fresh: false },
    // The code lives on, but another one may be had.
    { age: 59_999, length: 300, fresh: true },
    { age: 60_000, length: 300, fresh: false },
    { age: 16_000, length: 16, fresh: false },
    // The clock was set back: nobody knows for how long.
    { age: -1, length: 60, fresh: false },
  ])('of $age ms, with a countdown of $length s, is fresh: $fresh', ({ age, length, fresh }) => {
    const device = createFakeDevice()
    savePendingSignIn(device, { ...pending, until: device.now() - age + length * 1_000, length })
    expect(readUnexpired(device, pending) !== undefined).toBe(fresh)
  })

  it('is fresh for its own contact alone, and until its code leads nowhere', () => {
    const device = createFakeDevice()
    savePendingSignIn(device, { ...pending, until: device.now() + 60_000 })
    expect(readUnexpired(device, { ...pending, value: '237671234568' })).toBeUndefined()
    expect(readUnexpired(device, { ...pending, method: 'email' })).toBeUndefined()
    expirePendingCode(device)
    expect(readUnexpired(device, pending)).toBeUndefined()
    expect(readPendingContact(device, 'phone')).toBe('237671234567')
  })

  it('names either a number or an address, never both', () => {
    expect(contactFields(pending)).toEqual({ msisdn: '237671234567', email: '' })
    expect(contactFields({ method: 'email', value: 'a@b.cm' })).toEqual({ msisdn: '', email: 'a@b.cm' })
  })
})
