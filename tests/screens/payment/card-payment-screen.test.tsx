// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { cardFormDelayMs } from '#contract/codes.ts'
import fr from '#i18n/fr.json'
import { answerWith } from '#support/data/payment-answers.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'
import { holdAnswer } from '#support/providers/fake-fetch.ts'

let portal: Portal

afterEach(async () => {
  vi.restoreAllMocks()
  await portal.close()
})

const ordinary = { '/payments': [], '/payments/payment-methods': [] }

it('sends no form to the bank after Cancel, also while the payment screen waits for the server (PAY20, D137)', async () => {
  const submit = vi.spyOn(HTMLFormElement.prototype, 'submit').mockImplementation(() => undefined)
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
  const payment = {
    url: 'https://gateway.example/pay',
    fields: [],
    appId: 'app-1',
    appNumber: 'PP-1',
    paymentId: 'pay-1',
    applicantId: portal.applicant,
    visit: 'visit-1',
  }
  await portal.router.navigate({ to: '/cardPayment', state: { cardPayment: JSON.stringify(payment) } })
  await portal.heading(fr['cardPayment.heading'])
  portal.button(fr['button.cancel']).click()
  await portal.see(() => expect(list.isHeld()).toBe(true))
  await portal.device.advance(cardFormDelayMs)
  expect(submit).not.toHaveBeenCalled()
  list.release()
  await portal.heading(fr['payment.heading'])
  expect(submit).not.toHaveBeenCalled()
})
