// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest'
import { toPaymentId } from '#contract/id-text.ts'
import fr from '#i18n/fr.json'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

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
