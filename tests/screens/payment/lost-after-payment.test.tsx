// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from 'vitest'
import { listAnswers } from '#support/data/list-answers.ts'
import { openPayment } from '#support/data/payment-answers.ts'
import { textsOf } from '#support/data/texts.ts'
import { openPortal, type Portal } from '#support/fixtures/open-portal.tsx'

const t = textsOf('fr')
const whitelist = 'POST /payments/whitelist-payment-init'
const unpaid = { id: 'app-1', applicationNumber: 'PP-1', currentState: 'DATA_SAVED', appointment: null }
const methods = '/payments/payment-methods'
const answers: Record<string, unknown> = {
  'GET /applications': [unpaid],
  'GET /payments/pay-1': { ...openPayment, paymentStatus: 'SUCCESS' },
  [`GET ${methods}`]: listAnswers[methods],
  [whitelist]: {},
}
const connection = { isLost: false }
let portal: Portal
afterEach(() => portal.close())

/** Opens the list, whose answer the device caches, and then `path`. The connection is lost after a whitelist payment. */
async function openUnpaid(path: string) {
  connection.isLost = false
  portal = await openPortal({
    path: '/procedure',
    answer({ url, method }) {
      if (connection.isLost) return 'no connection'
      const { pathname } = new URL(url, 'http://portal.test')
      const name = `${method} ${pathname.replace('/api/v1', '')}`
      connection.isLost = name === whitelist
      return name in answers ? { json: { data: answers[name] } } : undefined
    },
  })
  await portal.heading(t('procedure.heading'))
  await portal.router.navigate({ href: path })
}

async function leavePage(heading: string) {
  await portal.seeAsTimePasses(() => expect(document.querySelector('h1')?.textContent).not.toBe(heading))
}

describe('when the connection is lost just after a payment, the booking opens and not the payment (PAY29, D37)', () => {
  it('from the result of the payment', async () => {
    await openUnpaid('/payResult/app-1/PP-1/pay-1')
    await portal.seeAsTimePasses(() => expect(portal.main().textContent).toContain(t('status.SUCCESS')))
    connection.isLost = true
    portal.button(t('button.continueToAppointment')).click()
    await leavePage(t('payResult.heading'))
    expect(location.pathname).toBe('/appointment/app-1/PP-1')
  })

  it('from the payment screen when the applicant has paid in the old system (S11)', async () => {
    await openUnpaid('/payment/app-1/PP-1')
    await portal.see(() => portal.button(t('button.continue')).click())
    await portal.seeAsTimePasses(() => expect(connection.isLost).toBe(true))
    await leavePage(t('payment.heading'))
    expect(location.pathname).toBe('/appointment/app-1/PP-1')
  })
})
