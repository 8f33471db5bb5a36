import { describe, expect, it } from 'vitest'
import { forgetPaymentKey, paymentKey } from '#screens/payment/payment-key.ts'

describe('the key of an intent to pay (D13)', () => {
  it('stays the same for the same wish until it is answered, also after a reload', () => {
    const memory = createMemory()
    const first = paymentKey(memory, 'app-1', { type: 'MOBILE', phone: '671234567' })
    expect(paymentKey(memory, 'app-1', { type: 'MOBILE', phone: '671234567' })).toBe(first)
    forgetPaymentKey(memory, 'app-1')
    expect(paymentKey(memory, 'app-1', { type: 'MOBILE', phone: '671234567' })).not.toBe(first)
  })

  it('is another for another wish and for another application', () => {
    const memory = createMemory()
    const keys = [
      paymentKey(memory, 'app-1', { type: 'MOBILE', phone: '671234567' }),
      paymentKey(memory, 'app-1', { type: 'MOBILE', phone: '671234568' }),
      paymentKey(memory, 'app-2', { type: 'MOBILE', phone: '671234568' }),
    ]
    expect(new Set(keys).size).toBe(3)
  })

  it('leaves nothing of the wish behind', () => {
    const memory = createMemory()
    paymentKey(memory, 'app-1', { name: 'Mballa', phone: '671234567', otp: '4321' })
    expect(memory.texts()).not.toMatch(/Mballa|671234567|4321/)
  })

  it('is new each time where the browser refuses to remember', () => {
    const memory = { ...createMemory(), readTabText: () => undefined }
    expect(paymentKey(memory, 'app-1', {})).not.toBe(paymentKey(memory, 'app-1', {}))
  })
})

function createMemory() {
  const kept = new Map<string, string>()
  let count = 0
  return {
    randomId: () => `key-${(count += 1)}`,
    saveTabText: (key: string, text: string | undefined) =>
      text === undefined ? void kept.delete(key) : void kept.set(key, text),
    readTabText: (key: string) => kept.get(key),
    texts: () => JSON.stringify([...kept]),
  }
}
