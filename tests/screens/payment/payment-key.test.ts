import { describe, expect, it } from 'vitest'
import { forgetPaymentKey, paymentKey } from '#screens/payment/payment-key.ts'

describe('paymentKey (D13)', () => {
  it('returns the same key for the same request until the key is forgotten', () => {
    const memory = createMemory()
    const first = paymentKey(memory, 'app-1', { type: 'MOBILE', phone: '671234567' })
    expect(paymentKey(memory, 'app-1', { type: 'MOBILE', phone: '671234567' })).toBe(first)
    forgetPaymentKey(memory, 'app-1')
    expect(paymentKey(memory, 'app-1', { type: 'MOBILE', phone: '671234567' })).not.toBe(first)
  })

  it('returns another key for another request and for another application', () => {
    const memory = createMemory()
    const keys = [
      paymentKey(memory, 'app-1', { type: 'MOBILE', phone: '671234567' }),
      paymentKey(memory, 'app-1', { type: 'MOBILE', phone: '671234568' }),
      paymentKey(memory, 'app-2', { type: 'MOBILE', phone: '671234568' }),
    ]
    expect(new Set(keys).size).toBe(3)
  })

  it('returns another key for another phone when a long text follows it', () => {
    const memory = createMemory()
    const returnUrl = 'https://portail.exemple.cm/payment/app-1/PP-1'
    const first = paymentKey(memory, 'app-1', { type: 'MOBILE', phone: '671234567', returnUrl })
    expect(paymentKey(memory, 'app-1', { type: 'MOBILE', phone: '671234568', returnUrl })).not.toBe(first)
  })

  it('stores no part of the request', () => {
    const memory = createMemory()
    paymentKey(memory, 'app-1', { name: 'Mballa', phone: '671234567', otp: '4321' })
    expect(memory.texts()).not.toMatch(/Mballa|671234567|4321/)
  })

  it('returns a new key each time when the browser refuses to store it', () => {
    const memory = { ...createMemory(), readTabText: () => undefined }
    expect(paymentKey(memory, 'app-1', {})).not.toBe(paymentKey(memory, 'app-1', {}))
  })
})

function createMemory() {
  const tabTexts = new Map<string, string>()
  let count = 0
  return {
    randomId: () => `key-${(count += 1)}`,
    saveTabText: (key: string, text: string | undefined) =>
      text === undefined ? void tabTexts.delete(key) : void tabTexts.set(key, text),
    readTabText: (key: string) => tabTexts.get(key),
    texts: () => JSON.stringify([...tabTexts]),
  }
}
