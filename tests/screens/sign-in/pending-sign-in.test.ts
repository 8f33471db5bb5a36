import { describe, expect, it } from 'vitest'
import {
  contactFields,
  parseSignIn,
  recallContact,
  recallSignIn,
  rememberSignIn,
} from '#portal/sign-in/pending-sign-in.ts'
import { createWoundDevice } from '#support/wound-device.ts'

const pending = { method: 'phone', value: '237671234567', until: 60_000, length: 60 } as const

describe('a sign-in that waits for its code', () => {
  it('is still there after a reload (S86), and gone when it is over', () => {
    const device = createWoundDevice()
    rememberSignIn(device, pending)
    expect(recallSignIn(device)).toEqual(pending)
    expect(recallContact(device, 'phone')).toBe('237671234567')
    expect(recallContact(device, 'email')).toBeUndefined()
    rememberSignIn(device, undefined)
    expect(recallSignIn(device)).toBeUndefined()
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

  it('names either a number or an address, never both', () => {
    expect(contactFields(pending)).toEqual({ msisdn: '237671234567', email: '' })
    expect(contactFields({ method: 'email', value: 'a@b.cm' })).toEqual({ msisdn: '', email: 'a@b.cm' })
  })
})
