// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest'
import { toPaymentId } from '#contract/id-text.ts'
import fr from '#i18n/fr.json'
import { answerWith, openAttempt } from '#support/data/payment-answers.ts'
import { openPortal, type Portal, type PortalOptions } from '#support/fixtures/open-portal.tsx'

let portal: Portal
afterEach(() => portal.close())

it('starts without the code that was typed for another payment (PAY22)', async () => {
  portal = await openPortal({ path: '/payOtp/app-1/PP-1/pay-1', state: 'DATA_SAVED' })
  const { heading, answer, named, see, router } = portal
  await heading(fr['payOtp.heading'])
  answer('otp', '123456')
  await see(() => expect(named('otp').value).toBe('123456'))
  await router.navigate({ to: '.', params: { paymentId: toPaymentId('pay-2') } })
  await see(() => expect(named('otp').value).toBe(''))
  expect(router.state.location.pathname).toBe('/payOtp/app-1/PP-1/pay-2')
})

const attempt = { ...openAttempt, next: 'waiting-for-code' }
const attemptsPath = '/payments/applications/app-1/attempts'

async function open(answer?: PortalOptions['answer'], path = '/payOtp/app-1/PP-1/pay-1') {
  portal = await openPortal({ path, state: 'DATA_SAVED', ...(answer && { answer }) })
  await portal.heading(fr['payOtp.heading'])
  return portal
}

/** The terms and the values of the list, with plain spaces. */
const facts = () =>
  [...portal.main().querySelectorAll('dl div')].map(row =>
    [...row.children].map(({ textContent }) => textContent?.replaceAll(/\s/g, ' ')),
  )
const number = [fr['payResult.number'], 'PP-1']
const sum = [fr['payResult.sum'], '110 000 FCFA']
const order = [fr['payResult.order'], openAttempt.orderNumber]

it('shows the number, the amount and the order of the payment, as the result page does (PAY22, PAY25)', async () => {
  const other = { ...openAttempt, id: 'pay-2', orderNumber: 'PAY-2', amount: 1 }
  await open(answerWith({ [attemptsPath]: [other, attempt] }))
  await portal.see(() => expect(facts()).toEqual([number, sum, order]))
})

it('shows the amount and the order of the last answer without a connection (D23)', async () => {
  const { device, router, see } = await open(answerWith({ [attemptsPath]: [attempt] }))
  await see(() => expect(facts()).toEqual([number, sum, order]))
  await router.navigate({ to: '/procedure' })
  device.setOnline(false)
  await router.navigate({ href: '/payOtp/app-1/PP-1/pay-1' })
  await see(() => expect(facts()).toEqual([number, sum, order]))
})

it('takes the code while the list of payments has no answer, and shows no amount then (PAY22)', async () => {
  await open(({ url }) => (url.includes(attemptsPath) ? 'hangs' : undefined))
  portal.answer('otp', '123456')
  await portal.see(() => expect(portal.named('otp').value).toBe('123456'))
  expect(facts()).toEqual([number])
})
