import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { createCinetPay } from '#server/integrations/cinetpay.ts'
import type { PaymentOrder } from '#server/integrations/payment-provider.ts'

/** The status of an order that CinetPay has refused with this message. */
async function statusWith(message: string | undefined) {
  const server = createServer((_request, response) => {
    const transaction = {
      cpm_site_id: 'site',
      cpm_trans_id: 'PO-2026-1',
      cpm_amount: '110000',
      cpm_currency: 'XAF',
      cpm_result: '627',
      cpm_error_message: message,
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ transaction }))
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
