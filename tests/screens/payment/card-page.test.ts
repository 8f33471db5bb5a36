// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { cardFields } from '#contract/payment.ts'
import { readCardAnswer, readCardPage } from '#screens/payment/card-page.ts'

const address = 'https://gateway.example/pay'
const hidden =
  '<input type="hidden" name="signature" value="s&amp;1"><input type="HIDDEN" name="cpm_amount" value="110000">'
const form = `<form method="POST" action="${address}">${hidden}<input type="submit" value="Pay"></form>`

describe('the page of a card payment', () => {
  it('is read as the one form it is, with nothing of its scripts and words (PAY19, PAY21)', () => {
    const page = `<html><head><script>window.taken = true</script></head><body onload="window.taken = true">
      <h1>Your bank</h1>${form}<script>document.forms[0].submit()</script></body></html>`
    expect(readCardPage(page)).toEqual({
      url: address,
      fields: [
        { name: 'signature', value: 's&1' },
        { name: 'cpm_amount', value: '110000' },
      ],
    })
    expect('taken' in window).toBe(false)
  })

  it.each([
    ['no form', '<p>Pay at the desk</p>'],
    ['nothing at all', ''],
    ['two forms', form + form],
    ['a form that is not sent by POST', form.replace('POST', 'GET')],
    ['a form without a method', form.replace('method="POST"', '')],
    ['an address that is not https', form.replace('https:', 'http:')],
    ['an address of script', form.replace(address, 'javascript:alert(1)')],
    ['an address relative to our page', form.replace(address, '/api/v1/refresh-token/logout')],
    ['no address', form.replace(address, '')],
    ['a field that nobody knows', form.replace('signature', 'card_number')],
    ['a field that is shown', form.replace('type="hidden"', 'type="text"')],
    ['a field twice', form.replace('cpm_amount', 'signature')],
    ['a field outside the form', `${form}<input name="pin">`],
    ['no field', `<form method="post" action="${address}"></form>`],
    ['a base address', `<base href="https://elsewhere.example/">${form}`],
    ['a frame', `${form}<iframe src="https://elsewhere.example/"></iframe>`],
  ])('is refused with %s', (_, html) => {
    expect(readCardPage(html)).toBeUndefined()
  })
})

describe('the fields of a card payment', () => {
  const answer = Object.fromEntries(cardFields.map(name => [name, name])) as Record<
    (typeof cardFields)[number],
    string
  > // one entry for each name

  it('become the form to payment_url with the sixteen others (PAY21, S12)', () => {
    const target = readCardAnswer({ ...answer, payment_url: address })
    expect(target?.url).toBe(address)
    expect(target?.fields.map(({ name }) => name)).toEqual(cardFields.filter(name => name !== 'payment_url'))
  })

  it('are refused for an address that is not https', () => {
    expect(readCardAnswer({ ...answer, payment_url: 'http://gateway.example/pay' })).toBeUndefined()
    expect(readCardAnswer(answer)).toBeUndefined()
  })
})
