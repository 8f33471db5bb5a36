// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { cardFields } from '#contract/payment.ts'
import { listedAddress } from '#screens/payment/card-addresses.ts'
import { readCardAnswer, readCardPage } from '#screens/payment/card-page.ts'
import { hostileAddresses, honestReturn, ownOrigin } from '#support/data/hostile-addresses.ts'
import {
  cardAction,
  cardPage,
  cardPagesWithScript,
  gateway,
  hostileCardPages,
} from '#support/data/hostile-card-pages.ts'

const places = { gateways: [gateway], own: [ownOrigin] }

describe('the page of a card payment', () => {
  const target = {
    url: cardAction,
    fields: [
      { name: 'signature', value: 's' },
      { name: 'cpm_amount', value: '110000' },
      { name: 'cpm_currency', value: 'XAF' },
      { name: 'cpm_trans_id', value: 'PO-1' },
    ],
  }

  it('is read as the one form it is (PAY19, PAY21)', () => {
    expect(readCardPage(cardPage(), places)).toEqual(target)
  })

  it.each(cardPagesWithScript)('is read without %s (PAY19)', (_, html) => {
    expect(readCardPage(html, places)).toEqual(target)
    expect('taken' in window).toBe(false)
  })

  it.each(hostileCardPages)('is refused with %s', (_, html) => {
    expect(readCardPage(html, places)).toBeUndefined()
    expect('taken' in window).toBe(false)
  })

  it('leads nowhere while the server lists no gateway', () => {
    expect(readCardPage(cardPage(), { ...places, gateways: [] })).toBeUndefined()
  })

  it('may be of a simulator on this very machine, and of no other over plain http', () => {
    const simulator = { ...places, gateways: ['http://127.0.0.1:9000', 'http://10.0.0.1:9000'] }
    expect(readCardPage(cardPage({ action: 'http://127.0.0.1:9000/pay' }), simulator)?.url).toBe(
      'http://127.0.0.1:9000/pay',
    )
    expect(readCardPage(cardPage({ action: 'http://10.0.0.1:9000/pay' }), simulator)).toBeUndefined()
  })
})

describe('the fields of a card payment', () => {
  const answer = {
    ...(Object.fromEntries(cardFields.map(name => [name, name])) as Record<
      (typeof cardFields)[number],
      string
    >), // one entry for each name
    payment_url: cardAction,
    return_url: honestReturn,
    cancel_url: honestReturn,
    refusal_url: '',
  }

  it('become the form to payment_url with the sixteen others (PAY21, S12)', () => {
    const target = readCardAnswer(answer, places)
    expect(target?.url).toBe(cardAction)
    expect(target?.fields.map(({ name }) => name)).toEqual(cardFields.filter(name => name !== 'payment_url'))
  })

  it.each(hostileAddresses)('are refused where they lead to %j', address => {
    expect(readCardAnswer({ ...answer, payment_url: address }, places)).toBeUndefined()
  })

  it('are refused where they are longer than any gateway wants', () => {
    expect(readCardAnswer({ ...answer, signature: 's'.repeat(5_000) }, places)).toBeUndefined()
  })
})

describe(`the way back from a card payment, against ${hostileAddresses.length} addresses`, () => {
  it.each(['return_url', 'cancel_url', 'refusal_url'])('leads to us or nowhere: %s (S40)', name => {
    const inside = (value: string) => `<input type="hidden" name="${name}" value="${escape(value)}">`
    const accepts = (value: string) => readCardPage(cardPage({ inside: inside(value) }), places) !== undefined
    expect(accepts(honestReturn)).toBe(true)
    expect(hostileAddresses.filter(address => address !== '' && accepts(address))).toEqual([])
  })

  it('is one of two hundred and more', () => {
    expect(hostileAddresses.length).toBeGreaterThanOrEqual(200)
    expect(hostileAddresses.filter(address => listedAddress(address, [ownOrigin]))).toEqual([])
  })
})

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
