import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createCardBank, signFields } from '#server/integrations/card-bank.ts'
import type { PaymentProvider } from '#server/integrations/payment-provider.ts'

const secret = 'secret of the merchant'
const answer = {
  merchantId: 'M1',
  orderId: 'PO-2026-1',
  amount: '110000.00',
  currency: 'XAF',
  status: 'APPROVED',
}
let server: Server
let body: Record<string, unknown>
let bank: PaymentProvider

beforeEach(async () => {
  server = createServer((_, response) => response.end(JSON.stringify(body)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  bank = createCardBank({
    name: 'Bank',
    url: `http://127.0.0.1:${port}`,
    merchant: 'M1',
    secret,
    webhookUrl: 'http://portal.test/webhook',
    timeoutMs: 10_000,
  })
})
afterEach(() => server.close())

const queryStatus = () =>
  bank.queryStatus({ orderId: answer.orderId } as Parameters<PaymentProvider['queryStatus']>[0])

it.each([
  ['the usual fields, and decimals in the amount', { ...answer, rrn: '9' }],
  ['no reference', answer],
  ['a field that the portal does not know', { ...answer, rrn: '9', message: 'ok' }],
])('accepts a status that the bank has signed with %s (D42)', async (_, fields) => {
  body = { ...fields, mac: signFields(fields, secret) }
  expect(await queryStatus()).toMatchObject({ kind: 'success', orderId: 'PO-2026-1', amount: 110_000 })
})

it.each([
  ['another amount', { amount: '1' }],
  ['one more field', { message: 'ok' }],
  ['a field that is no text', { message: { text: 'ok' } }],
])('does not believe a status that has got %s after it was signed (D42)', async (_, change) => {
  body = { ...answer, mac: signFields(answer, secret), ...change }
  expect(await queryStatus()).toEqual({ kind: 'unknown' })
})
