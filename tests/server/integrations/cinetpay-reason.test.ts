import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { createCinetPay } from '#server/integrations/cinetpay.ts'
import type { PaymentOrder } from '#server/integrations/payment-provider.ts'

/** The status of an order that CinetPay has refused with this message. */
function statusWith(message: string | undefined) {
  const transaction = {
    cpm_site_id: 'site',
    cpm_trans_id: 'PO-2026-1',
    cpm_amount: '110000',
    cpm_currency: 'XAF',
    cpm_result: '627',
    cpm_error_message: message,
  }
  return statusIn({ transaction })
}

/** The status of an order that CinetPay answers with this body. */
async function statusIn(body: object) {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  const provider = createCinetPay({
    apiUrl: `http://127.0.0.1:${port}`,
    pageUrl: '',
    apiKey: 'key',
    siteId: 'site',
    secret: '',
    webhookUrl: '',
    timeoutMs: 5_000,
  })
  const order: PaymentOrder = {
    paymentId: crypto.randomUUID(),
    orderId: 'PO-2026-1',
    amount: 110_000,
    currency: 'XAF',
    phone: '',
    channel: 'CinetPay',
    reference: undefined,
    returnTo: '',
    language: 'fr',
    orderedAt: new Date(0),
  }
  const status = await provider.queryStatus(order)
  server.closeAllConnections()
  server.close()
  return status
}

it.each([
  ['TRANSACTION_CANCEL', 'TRANSACTION_CANCEL'],
  ['The number 237671234567 of Awa has no money', '627'],
  [undefined, '627'],
])('keeps a code of CinetPay as the reason, and no other text: %s', async (message, reason) => {
  expect(await statusWith(message)).toMatchObject({ kind: 'failed', reason })
})

it.each([
  [607, 'TRANSACTION_NOT_FOUND', { kind: 'missing' }],
  ['607', 'Transaction not found', { kind: 'missing' }],
  ['609', 'AUTH_NOT_FOUND', { kind: 'unknown', reason: 'AUTH_NOT_FOUND' }],
  ['601', 'MERCHANT_NOT_FOUND', { kind: 'unknown', reason: 'MERCHANT_NOT_FOUND' }],
  ['624', 'An error occurred for Awa', { kind: 'unknown', reason: 'error 624' }],
])(
  'reports an order as missing only when CinetPay does not find it: %s %s (D42)',
  async (code, message, status) => {
    expect(await statusIn({ status: { code, message } })).toEqual(status)
  },
)
