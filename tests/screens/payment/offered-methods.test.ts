import { describe, expect, it } from 'vitest'
import type { PaymentMethod } from '#contract/payment.ts'
import { offerOf, priceOf } from '#screens/payment/offered-methods.ts'

describe('priceOf', () => {
  it('returns the amount and currency of the first entry, enabled or not (PAY01, PAY02)', () => {
    expect(priceOf([entry('BACM', { enable: false, fee: 75_000 }), entry('MOCK')])).toEqual({
      amount: 75_000,
      currency: 'XAF',
    })
    expect(priceOf([])).toBeUndefined()
  })
})

describe('offerOf', () => {
  it('offers each known type with an enabled entry once, in the order of the server (PAY03, PAY04, S39)', () => {
    expect(
      typesOf([
        entry('AGGREGATOR'),
        entry('UNKNOWN'),
        entry('BACM', { enable: false }),
        entry('CARD_UBA'),
        entry('MOBILE'),
        entry('MOCK'),
        entry('CARD'),
        entry('CARD'),
      ]),
    ).toEqual(['AGGREGATOR', 'CARD_UBA', 'MOBILE', 'MOCK', 'CARD'])
  })

  it('sets `hasOwnFee` only when amount or currency differ from the first entry (S27)', () => {
    const offer = offerOf([
      entry('MOBILE'),
      entry('CARD', { fee: 112_500 }),
      entry('BACM', { currency: 'EUR' }),
      entry('MOCK'),
    ])
    expect(offer.kind === 'methods' && offer.methods.map(method => method.hasOwnFee)).toEqual([
      false,
      true,
      true,
      false,
    ])
  })

  it('returns the operators of an aggregator, and an empty list when the server sends none (PAY12)', () => {
    const offer = offerOf([
      entry('AGGREGATOR', { methods: ['Orange-Money'] }),
      entry('MOCK', { methods: null }),
    ])
    expect(offer.kind === 'methods' && offer.methods.map(({ operators }) => operators)).toEqual([
      ['Orange-Money'],
      [],
    ])
  })

  it('offers no choice to an applicant who paid in the old system: `WHITELIST` is enabled (S11, PAY31)', () => {
    expect(offerOf([entry('MOCK'), entry('WHITELIST')])).toEqual({ kind: 'whitelist' })
    expect(typesOf([entry('MOCK'), entry('WHITELIST', { enable: false })])).toEqual(['MOCK'])
  })

  it.each([[[]], [[entry('CARD', { enable: false })]], [[entry('UNKNOWN')]]])(
    'returns `none` when there is no entry that the applicant can choose: %j',
    entries => {
      expect(offerOf(entries)).toEqual({ kind: 'none' })
    },
  )
})

function typesOf(entries: PaymentMethod[]): string[] {
  const offer = offerOf(entries)
  return offer.kind === 'methods' ? offer.methods.map(({ type }) => type) : []
}

function entry(type: string, rest: Partial<PaymentMethod> = {}): PaymentMethod {
  return { type, enable: true, fee: 110_000, currency: 'XAF', methods: [], ...rest }
}
