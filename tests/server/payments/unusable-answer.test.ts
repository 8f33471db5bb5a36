import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPaymentFixture, type PaymentFixture } from './payment-fixture.ts'

/** Signs forms as CinetPay does, and refuses each status query, as after a change of the portal's account there. */
const cinetPay = createServer(({ url = '' }, response) => {
  const isSigning = url.endsWith('getSignatureByPost')
  const answer = isSigning ? 'signature' : { status: { code: '606', message: 'INCORRECT_SETTINGS' } }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
})

let fixture: PaymentFixture
beforeAll(async () => {
  cinetPay.listen(0, '127.0.0.1')
  await once(cinetPay, 'listening')
  const address = cinetPay.address()
  const port = typeof address === 'object' ? address?.port : undefined
  fixture = await openPaymentFixture({
    change: settings => ({
      ...settings,
      cinetPay: { ...settings.cinetPay, apiUrl: `http://127.0.0.1:${port}` },
    }),
  })
})
afterAll(async () => {
  cinetPay.closeAllConnections()
  cinetPay.close()
  await fixture.close()
})

describe('a card gateway that cannot say whether it knows an order', () => {
  it('makes the server neither end the order nor give its form again, because the payer may have paid (D42, D47)', async () => {
    const payer = await fixture.newPaymentApplicant('cinetpay')
    const query = { applicationId: payer.applicationId }
    expect((await payer.askForCard()).form).toBeDefined()
    const { id } = await payer.order()

    const again = await payer.browser.call('startCardPayment', { query, body: { method: 'CARD' } })
    expect(again).toMatchObject({ kind: 'failed', failure: { reason: 'payment-open' } })
    const canceled = await payer.browser.call('cancelPayment', { params: { id } })
    expect(canceled).toMatchObject({ kind: 'failed', failure: { data: { why: 'no-answer' } } })
    const byMobile = await payer.browser.call('startMobilePayment', {
      query: { ...query, phone: '237671234501' },
    })
    expect(byMobile).toMatchObject({ kind: 'ok', body: { data: { id, isExisting: true } } })

    await payer.passSeconds(3_600)
    expect((await payer.stored()).map(({ status }) => status)).toEqual(['IN_PROGRESS'])
  })
})
