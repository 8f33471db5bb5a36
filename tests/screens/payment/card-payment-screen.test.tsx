// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { cardFormDelayMs, deviceUseStorageKey } from '#contract/codes.ts'
import fr from '#i18n/fr.json'
import { answerWith } from '#support/data/payment-answers.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { cardAction, cardPage, gateway } from '#support/data/hostile-card-pages.ts'
import { holdAnswer } from '#support/providers/fake-fetch.ts'
import { settle } from '#support/settle.ts'

let portal: Portal

afterEach(async () => {
  vi.restoreAllMocks()
  await portal.close()
})

/** Opens the page that leads to the bank's page, for the payment with this number. */
async function openCardPage(paymentNumber: number) {
  const payment = {
    url: cardAction,
    fields: [],
    appId: 'app-1',
    appNumber: 'PP-1',
    paymentId: `pay-${paymentNumber}`,
    applicantId: portal.applicant,
    visit: `visit-${paymentNumber}`,
  }
  await portal.router.navigate({ to: '/cardPayment', state: { cardPayment: JSON.stringify(payment) } })
}

function watchSubmit() {
  return vi.spyOn(HTMLFormElement.prototype, 'submit').mockImplementation(() => undefined)
}

const ordinary = { '/payments': [], '/payments/payment-methods': [] }
const cardOf = (paymentId: string) => ({ json: { status: 'Success', data: cardPage(), paymentId } })

it('sends no form to the bank after Cancel, also while the payment screen waits for the server (PAY20, D137)', async () => {
  const submit = watchSubmit()
  const list = holdAnswer()
  portal = await openPortal({
    path: '/help',
    state: 'DATA_SAVED',
    answer(request) {
      if (!request.url.includes('/applications?')) return answerWith(ordinary)(request)
      const listed = { id: 'app-1', applicationNumber: 'PP-1', currentState: 'DATA_SAVED' }
      return list.hold({ json: { data: [listed] } })
    },
  })
  await openCardPage(1)
  await portal.heading(fr['cardPayment.heading'])
  portal.button(fr['button.cancel']).click()
  await portal.see(() => expect(list.isHeld()).toBe(true))
  await portal.device.advance(cardFormDelayMs)
  expect(submit).not.toHaveBeenCalled()
  list.release()
  await portal.heading(fr['payment.heading'])
  expect(submit).not.toHaveBeenCalled()
})

it('sends no form when the payer has gone back before it was sent, and goes forward again: the order may have ended (PAY20, D42)', async () => {
  const submit = watchSubmit()
  portal = await openPortal({
    path: '/payment/app-1/PP-1',
    state: 'DATA_SAVED',
    answer: answerWith(ordinary),
  })
  const { device, heading, router, see } = portal
  await heading(fr['payment.heading'])
  await openCardPage(1)
  await heading(fr['cardPayment.heading'])
  router.history.back()
  await heading(fr['payment.heading'])
  await device.advance(cardFormDelayMs)
  router.history.forward()
  await see(() => expect(router.state.location.pathname).toBe('/payResult/app-1/PP-1/pay-1'))
  await device.advance(cardFormDelayMs)
  expect(submit).not.toHaveBeenCalled()
})

it('sends no form again when the payer goes back to an earlier card page, after a later payment by card (PAY20, D42)', async () => {
  const submit = watchSubmit()
  portal = await openPortal({ path: '/help', state: 'DATA_SAVED', answer: answerWith(ordinary) })
  const { device, heading, router, see } = portal
  for (const count of [1, 2]) {
    await openCardPage(count)
    await heading(fr['cardPayment.heading'])
    await device.advance(cardFormDelayMs)
    await see(() => expect(submit).toHaveBeenCalledTimes(count))
    await router.navigate({ to: '/help' })
    await heading(fr['help.heading'])
  }
  // Over the help page, the second card page and the help page before it.
  router.history.go(-3)
  await see(() => expect(router.state.location.pathname).toBe('/payResult/app-1/PP-1/pay-1'))
  await device.advance(cardFormDelayMs)
  expect(submit).toHaveBeenCalledTimes(2)
})

it('opens the result of the last payment, and does not send the form of a canceled one, when the payer returns on a shared device from a bank page that the server has shown (D31, D42, S12)', async () => {
  const submit = watchSubmit()
  const cards = {
    '/payments/card-payment-init': { data: cardPage(), paymentId: 'pay-1' },
    // The portal cannot read this page, so the server shows it.
    '/payments/uba-payment-init': { data: '<p>Loading</p>', paymentId: 'pay-2', page: '/pay/card/ticket' },
  }
  const methods = ['CARD', 'CARD_UBA'].map(type => ({ type, enable: true, fee: 110_000, currency: 'XAF' }))
  portal = await openPortal({
    path: '/payment/app-1/PP-1',
    state: 'DATA_SAVED',
    texts: { [deviceUseStorageKey]: 'shared' },
    answer(request) {
      const started = Object.entries(cards).find(([path]) => request.url.includes(path))
      if (started) return { json: { status: 'Success', ...started[1] } }
      const version = { version: '1', features: [], cardGateways: [gateway] }
      return answerWith({ ...ordinary, '/payments/payment-methods': methods, '/version': version })(request)
    },
  })
  const { button, choose, device, heading, router, see } = portal
  await see(() => choose('type', 'CARD'))
  await see(() => button(fr['button.pay']).click())
  await heading(fr['cardPayment.heading'])
  button(fr['button.cancel']).click()
  await heading(fr['payment.heading'])
  await see(() => choose('type', 'CARD_UBA'))
  await see(() => button(fr['button.pay']).click())
  await see(() => expect(device.openedAddresses).toContain('/pay/card/ticket'))
  await router.navigate({ to: '/cardPayment' })
  await see(() => expect(router.state.location.pathname).toBe('/payResult/app-1/PP-1/pay-2'))
  await device.advance(cardFormDelayMs)
  expect(submit).not.toHaveBeenCalled()
})

it('sends no form of a second payment, whose payer left the payment screen before the answer to Pay, at the return from the first on a shared device (D31, D42, D137)', async () => {
  const submit = watchSubmit()
  const second = holdAnswer()
  const methods = [{ type: 'CARD', enable: true, fee: 110_000, currency: 'XAF' }]
  portal = await openPortal({
    path: '/payment/app-1/PP-1',
    state: 'DATA_SAVED',
    texts: { [deviceUseStorageKey]: 'shared' },
    answer(request) {
      if (request.url.includes('/payments/card-payment-init'))
        return submit.mock.calls.length === 0 ? cardOf('pay-1') : second.hold(cardOf('pay-2'))
      const version = { version: '1', features: [], cardGateways: [gateway] }
      return answerWith({ ...ordinary, '/payments/payment-methods': methods, '/version': version })(request)
    },
  })
  const { button, choose, device, heading, router, see } = portal
  await see(() => choose('type', 'CARD'))
  await see(() => button(fr['button.pay']).click())
  await heading(fr['cardPayment.heading'])
  await device.advance(cardFormDelayMs)
  await see(() => expect(submit).toHaveBeenCalledTimes(1))
  router.history.back()
  await heading(fr['payment.heading'])
  await see(() => choose('type', 'CARD'))
  await see(() => button(fr['button.pay']).click())
  await see(() => expect(second.isHeld()).toBe(true))
  await router.navigate({ to: '/help' })
  await heading(fr['help.heading'])
  second.release()
  await settle()
  await router.navigate({ to: '/cardPayment' })
  await see(() => expect(router.state.location.pathname).toBe('/payResult/app-1/PP-1/pay-1'))
  await device.advance(cardFormDelayMs)
  expect(submit).toHaveBeenCalledTimes(1)
})
