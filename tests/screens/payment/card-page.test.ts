// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { cardFields } from '#contract/payment.ts'
import { listedAddress } from '#screens/payment/card-addresses.ts'
import { readCardAnswer, unlistedOrigin } from '#screens/payment/card-page.ts'
import { hostileAddresses, ownReturnUrl, ownOrigin } from '#support/data/hostile-addresses.ts'
import {
  cardAction,
  cardPage,
  cardPagesWithOtherNames,
  cardPagesWithScript,
  gateway,
  hostileCardPages,
} from '#support/data/hostile-card-pages.ts'

const origins = { gateways: [gateway], own: [ownOrigin] }

/** An answer with the fields of the form, of a listed gateway. */
const fieldsOfForm = {
  ...(Object.fromEntries(cardFields.map(name => [name, name])) as Record<
    (typeof cardFields)[number],
    string
  >), // one entry for each name
  payment_url: cardAction,
  return_url: ownReturnUrl,
  cancel_url: ownReturnUrl,
  refusal_url: '',
}

describe('readCardAnswer with a page', () => {
  const target = {
    url: cardAction,
    fields: [
      { name: 'signature', value: 's' },
      { name: 'cpm_amount', value: '110000' },
      { name: 'cpm_currency', value: 'XAF' },
      { name: 'cpm_trans_id', value: 'PO-1' },
    ],
  }

  it('returns the only form of the page (PAY19, PAY21)', () => {
    expect(readCardAnswer(cardPage(), origins)).toEqual(target)
  })

  it.each(cardPagesWithScript)('returns the form and ignores %s (PAY19)', (_, html) => {
    expect(readCardAnswer(html, origins)).toEqual(target)
    expect('taken' in window).toBe(false)
  })

  it.each(cardPagesWithOtherNames)('returns %s (D67)', (_, html, field) => {
    const found = readCardAnswer(html, origins)
    expect(found?.fields.at(-1)).toEqual(field)
  })

  it.each(hostileCardPages)('refuses a page with %s', (_, html) => {
    expect(readCardAnswer(html, origins)).toBeUndefined()
    expect('taken' in window).toBe(false)
  })

  it('refuses a good page while the server lists no gateway', () => {
    expect(readCardAnswer(cardPage(), { ...origins, gateways: [] })).toBeUndefined()
  })

  it('accepts plain http only to a simulator on this machine', () => {
    const simulator = { ...origins, gateways: ['http://127.0.0.1:9000', 'http://10.0.0.1:9000'] }
    expect(readCardAnswer(cardPage({ action: 'http://127.0.0.1:9000/pay' }), simulator)?.url).toBe(
      'http://127.0.0.1:9000/pay',
    )
    expect(readCardAnswer(cardPage({ action: 'http://10.0.0.1:9000/pay' }), simulator)).toBeUndefined()
  })
})

describe('unlistedOrigin', () => {
  const other = 'https://bank.example'
  const otherPage = cardPage({ action: `${other}/pay` })

  it('returns the origin, for the notice to the applicant, when only the gateway is not listed (D67)', () => {
    expect(readCardAnswer(otherPage, origins)).toBeUndefined()
    expect(unlistedOrigin(otherPage, origins)).toBe(other)
    expect(unlistedOrigin({ ...fieldsOfForm, payment_url: `${other}/pay` }, origins)).toBe(other)
  })

  it('returns nothing when the page has other faults, or its address has a user name or plain http', () => {
    expect(unlistedOrigin(otherPage + otherPage, origins)).toBeUndefined()
    expect(unlistedOrigin(cardPage({ action: 'https://a@bank.example/' }), origins)).toBeUndefined()
    expect(unlistedOrigin(cardPage({ action: 'http://bank.example/' }), origins)).toBeUndefined()
  })
})

describe('readCardAnswer with the fields of a form', () => {
  it('returns a form to payment_url with the sixteen other fields (PAY21, S12)', () => {
    const target = readCardAnswer(fieldsOfForm, origins)
    expect(target?.url).toBe(cardAction)
    expect(target?.fields.map(({ name }) => name)).toEqual(cardFields.filter(name => name !== 'payment_url'))
  })

  it.each(hostileAddresses)('refuses payment_url %j', address => {
    expect(readCardAnswer({ ...fieldsOfForm, payment_url: address }, origins)).toBeUndefined()
  })

  it('refuses a value of 5,000 characters', () => {
    expect(readCardAnswer({ ...fieldsOfForm, signature: 's'.repeat(5_000) }, origins)).toBeUndefined()
  })
})

describe(`the return address of a card payment, tried with ${hostileAddresses.length} hostile addresses`, () => {
  it.each(['return_url', 'cancel_url', 'refusal_url'])(
    'leads to the portal, is empty or is refused: %s (S40)',
    name => {
      const inside = (value: string) => `<input type="hidden" name="${name}" value="${escape(value)}">`
      const accepts = (value: string) =>
        readCardAnswer(cardPage({ inside: inside(value) }), origins) !== undefined
      expect(accepts(ownReturnUrl)).toBe(true)
      expect(accepts('')).toBe(true)
      expect(hostileAddresses.filter(address => address !== '' && accepts(address))).toEqual([])
    },
  )

  it('is tried with at least 200 addresses', () => {
    expect(hostileAddresses.length).toBeGreaterThanOrEqual(200)
    expect(hostileAddresses.filter(address => listedAddress(address, [ownOrigin]))).toEqual([])
  })
})

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}
