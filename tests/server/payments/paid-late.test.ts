import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { paymentColumns } from '#server/features/payments/payment-answer.ts'
import { applyStatus } from '#server/features/payments/provider-calls.ts'
import type { PaymentProvider } from '#server/integrations/payment-provider.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { type SignedInDirectly, signInDirectly } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { createScriptedProvider } from './scripted-provider.ts'

const form = { url: 'https://cards.example/page', fields: [], html: undefined }

let server: TestServer
/** Runs while the next order is prepared, or while its form is requested. */
let duringRequest: () => Promise<unknown>

const phone = createScriptedProvider()
const wallet = createScriptedProvider()
wallet.script.start = { kind: 'accepted', reference: 'their-reference', needsPayerCode: true }

const walletProvider: PaymentProvider = {
  ...wallet.provider,
  async prepare() {
    await duringRequest()
    return { kind: 'prepared', reference: 'their-reference' }
  },
}
const cardProvider: PaymentProvider = {
  isCard: true,
  async start() {
    await duringRequest()
    return { kind: 'accepted', reference: undefined, needsPayerCode: false, form }
  },
  // No payer has sent a form.
  queryStatus: async () => ({ kind: 'missing' }),
}

beforeAll(async () => {
  server = await startTestServer({
    startsAt: '2026-06-01T09:00:00Z',
    offices: 'none',
    env: { CINETPAY_KEY: 'a', CINETPAY_SITE: '1', CINETPAY_PAGE_URL: form.url },
    providers: { MOBILE: phone.provider, AGGREGATOR: walletProvider, CARD: cardProvider },
  })
})
afterAll(() => server.close())
beforeEach(() => {
  duringRequest = async () => undefined
})

let payers = 0

/** An applicant whose first order has failed. `succeedLate`: its provider reports a success after all (D42). */
async function payerWithFailure() {
  payers += 1
  const applicant = await signInDirectly(server)
  const applicationId = await confirmedApplication(applicant)
  const query = { applicationId }
  await applicant.call('startMobilePayment', { query: { ...query, phone: `23767123450${payers}` } })
  const failed = await server.services.db
    .selectFrom('payment')
    .select(paymentColumns)
    .where('application_id', '=', applicationId)
    .executeTakeFirstOrThrow()
  await applyStatus(server.services, failed, { kind: 'failed', reason: 'EXPIRED', failure: 'expired' })
  const { order_id: orderId, amount, currency } = failed
  return {
    applicant,
    firstId: failed.id,
    succeedLate: () => applyStatus(server.services, failed, { kind: 'success', orderId, amount, currency }),
    payByCard: (key?: string) =>
      applicant.call('startCardPayment', { query, body: { method: 'CARD' }, ...(key && { key }) }),
    payByWallet: () =>
      applicant.call('startAggregatorPayment', {
        query,
        body: {
          phone: `23765400000${payers}`,
          paymentMethod: 'Yoomee-Money',
          name: 'Ngo',
          id: applicationId,
        },
      }),
  }
}

async function confirmedApplication(applicant: SignedInDirectly): Promise<string> {
  const created = await applicant.call('createApplication')
  const id = created.kind === 'ok' ? created.body.data.id : ''
  await applicant.call('confirmData', { params: { id }, body: toWire(firstPassport) })
  return id
}

describe('an open order, after another order has paid for the application late,', () => {
  it('gives the payer no card form, neither on its card page nor for the same press of Pay (D13, D42)', async () => {
    const { payByCard, succeedLate, firstId } = await payerWithFailure()
    const key = 'one-press-of-pay'
    const lost = await payByCard(key)
    const page = (lost.kind === 'ok' && lost.body.page) || ''
    await succeedLate()
    expect((await server.app.inject({ method: 'GET', url: page })).statusCode).toBe(410)
    expect(await payByCard(key)).toMatchObject({
      status: 409,
      failure: { reason: 'payment-open', data: { paymentId: firstId } },
    })
  })

  it('gives the payer no card form that was requested before (D42)', async () => {
    const { payByCard, succeedLate } = await payerWithFailure()
    duringRequest = succeedLate
    expect(await payByCard()).toMatchObject({ status: 503 })
  })

  it('is not sent to its provider (D42)', async () => {
    const { payByWallet, succeedLate } = await payerWithFailure()
    duringRequest = succeedLate
    expect(await payByWallet()).toMatchObject({ status: 503 })
    expect(wallet.callCounts.start).toBe(0)
  })

  it('does not pass on the code of the payer, with which the provider would take the money (D42, PAY18)', async () => {
    const { applicant, payByWallet, succeedLate } = await payerWithFailure()
    const started = await payByWallet()
    const id = (started.kind === 'ok' && started.body.data.id) || ''
    await succeedLate()
    expect(await applicant.call('confirmPayment', { params: { id }, body: { otp: '4711' } })).toMatchObject({
      status: 409,
    })
    expect(wallet.callCounts.confirm).toBe(0)
  })
})
