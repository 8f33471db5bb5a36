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
import { createDeviceUse } from '#store/device-use.ts'
import { createFakeDevice } from '#support/providers/fake-device.ts'

const pending = { method: 'phone', value: '237671234567', until: 60_000, length: 60 } as const

function createStorage() {
  const device = createFakeDevice()
  return { device, deviceUse: createDeviceUse(device) }
}

describe('a pending sign-in', () => {
  it('of a shared device stays out of the storage of the tab, which the browser writes to its disk (D31)', () => {
    const storage = createStorage()
    savePendingSignIn(storage, pending)
    storage.deviceUse.choose(true)
    savePendingSignIn(storage, pending)
    expect(storage.device.readTabText('sign-in')).toBeUndefined()
    expect(readPendingSignIn(storage)).toEqual(pending)
    expirePendingCode(storage, pending)
    expect(readPendingSignIn(storage)).toEqual({ ...pending, spent: true })
    savePendingSignIn(storage, undefined)
    expect(readPendingSignIn(storage)).toBeUndefined()
  })

  it('lasts as long as the page where the browser refuses the storage of the tab (S86)', () => {
    const storage = createStorage()
    storage.device.saveTabText = () => undefined
    savePendingSignIn(storage, pending)
    expect(readPendingSignIn(storage)).toEqual(pending)
    savePendingSignIn(storage, undefined)
    expect(readPendingSignIn(storage)).toBeUndefined()
  })

  it('is read back from the storage of the tab, and is removed at the end (S86)', () => {
    const storage = createStorage()
    savePendingSignIn(storage, pending)
    expect(parseSignIn(storage.device.readTabText('sign-in'))).toEqual(pending)
    expect(readPendingSignIn(storage)).toEqual(pending)
    expect(readPendingContact(storage, 'phone')).toBe('237671234567')
    expect(readPendingContact(storage, 'email')).toBeUndefined()
    savePendingSignIn(storage, undefined)
    expect(readPendingSignIn(storage)).toBeUndefined()
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
    // From 60 s on the server would send another code, although this one is still valid.
    { age: 59_999, length: 300, unexpired: true },
    { age: 60_000, length: 300, unexpired: false },
    { age: 16_000, length: 16, unexpired: false },
    // The clock was set back, so the age is unknown.
    { age: -1, length: 60, unexpired: false },
  ])('is unexpired after $age ms with a countdown of $length s: $unexpired', ({ age, length, unexpired }) => {
    const storage = createStorage()
    savePendingSignIn(storage, { ...pending, until: storage.device.now() - age + length * 1_000, length })
    expect(readUnexpired(storage, pending) !== undefined).toBe(unexpired)
  })

  it('is unexpired for its own contact only, and until its code is spent', () => {
    const storage = createStorage()
    savePendingSignIn(storage, { ...pending, until: storage.device.now() + 60_000 })
    expect(readUnexpired(storage, { ...pending, value: '237671234568' })).toBeUndefined()
    expect(readUnexpired(storage, { ...pending, method: 'email' })).toBeUndefined()
    expirePendingCode(storage, pending)
    expect(readUnexpired(storage, pending)).toBeUndefined()
    expect(readPendingContact(storage, 'phone')).toBe('237671234567')
  })

  it('sends either a number or an e-mail address, never both', () => {
    expect(contactFields(pending)).toEqual({ msisdn: '237671234567', email: '' })
    expect(contactFields({ method: 'email', value: 'a@b.cm' })).toEqual({ msisdn: '', email: 'a@b.cm' })
  })
})
