import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PaymentId } from '#contract/ids.ts'
import { bodyOf, openBrowser } from '#support/servers/api-client.ts'
import { readPdfText } from '#support/checks/pdf-text.ts'
import { openPaymentFixture, type PaymentApplicant, type PaymentFixture } from './payment-fixture.ts'

let fixture: PaymentFixture
beforeAll(async () => {
  fixture = await openPaymentFixture()
})
afterAll(() => fixture?.close())

/** Sets the provider's outcome of the newest order, or of `orderId`, and sends the webhook. */
async function sendOutcome(payer: PaymentApplicant, status: 'success' | 'failed', orderId?: string) {
  const order = orderId ?? (await payer.order()).order_id
  await fixture.deliver(payer.simulator.decide(order, status))
}

describe('the case file of an application', () => {
  it('lists order, method, operator’s reference, every change and the next step of each attempt (F1)', async () => {
    const payer = await fixture.newPaymentApplicant('orange')
    await payer.pay()
    const [first] = await payer.attempts()
    expect(first).toMatchObject({
      orderNumber: (await payer.order()).order_id,
      methodType: 'MOBILE',
      method: 'Orange Money',
      amount: 110_000,
      currency: 'XAF',
      operatorReference: '',
      state: 'IN_PROGRESS',
      history: [{ state: 'IN_PROGRESS' }],
      next: 'waiting-for-approval',
      nextAt: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    await sendOutcome(payer, 'failed')
    expect((await payer.attempts())[0]).toMatchObject({
      state: 'ERROR',
      next: 'nothing-taken',
      nextAt: null,
    })
    await payer.makeOlderBySeconds(60)
    await payer.pay()
    await sendOutcome(payer, 'success')
    const attempts = await payer.attempts()
    expect(attempts.map(({ state, next }) => [state, next])).toEqual([
      ['SUCCESS', 'paid'],
      ['ERROR', 'nothing-taken'],
    ])
    expect(attempts[0]).toMatchObject({
      operatorReference: expect.stringMatching(/^MP\d+/),
      history: [{ state: 'IN_PROGRESS' }, { state: 'SUCCESS' }],
    })
  })

  it.each([
    ['mtn', 'NOT_ENOUGH_FUNDS', 'not-enough-money'],
    ['mtn', 'APPROVAL_REJECTED', 'refused-on-phone'],
    ['mtn', 'COULD_NOT_PERFORM_TRANSACTION', 'expired'],
    ['mtn', 'INTERNAL_PROCESSING_ERROR', 'unknown'],
    ['orange', 'NOT_ENOUGH_FUNDS', 'not-enough-money'],
    ['orange', 'APPROVAL_REJECTED', 'refused-on-phone'],
    ['orange', 'EXPIRED', 'expired'],
    ['orange', 'SOMETHING_NEW', 'unknown'],
    ['collect', 'NOT_ENOUGH_FUNDS', 'not-enough-money'],
    ['collect', 'APPROVAL_REJECTED', 'refused-on-phone'],
    ['collect', 'EXPIRED', 'expired'],
    ['smobilpay', 'NOT_ENOUGH_FUNDS', 'unknown'],
    ['cinetpay', '', 'canceled'],
    ['uba', '', 'card-declined'],
  ] as const)('says why an attempt failed: %s reports %s (F1)', async (provider, reason, failure) => {
    const payer = await fixture.newPaymentApplicant(provider)
    await payer.pay()
    const { order_id: order, id } = await payer.order()
    await fixture.deliver(payer.simulator.decide(order, 'failed', reason))
    expect((await payer.attempts())[0]).toMatchObject({ state: 'ERROR', failure })
    const params = { id: id as PaymentId } // The id comes from the database.
    const read = await payer.browser.call('readPayment', {
      params,
      query: { applicationId: payer.applicationId },
    })
    expect(bodyOf(read).data).toMatchObject({ paymentStatus: 'ERROR', failure })
  })

  it('lists a second success as due for refund, and after the refund as refunded (F1, D42)', async () => {
    const payer = await fixture.newPaymentApplicant('mtn')
    await payer.pay()
    const first = (await payer.order()).order_id
    await sendOutcome(payer, 'failed')
    await payer.makeOlderBySeconds(60)
    await payer.pay()
    const second = (await payer.order()).order_id
    await sendOutcome(payer, 'success', second)
    await payer.makeOlderBySeconds(60)
    await sendOutcome(payer, 'success', first)
    expect(await payer.facts()).toMatchObject({
      state: 'PAYMENT_DONE',
      successes: 2,
      counted: 1,
      refunds: 1,
      messages: 1,
    })
    const attempts = await payer.attempts()
    expect(attempts.map(({ orderNumber, state, next }) => [orderNumber, state, next])).toEqual([
      [second, 'SUCCESS', 'paid'],
      [first, 'REFUND_DUE', 'refund-due'],
    ])
    expect(attempts[1]?.history.map(({ state }) => state)).toEqual([
      'IN_PROGRESS',
      'ERROR',
      'SUCCESS',
      'REFUND_DUE',
    ])
    await fixture.server.services.db
      .updateTable('payment')
      .set({ refunded_at: fixture.server.clock.now() })
      .where('order_id', '=', first)
      .execute()
    expect((await payer.attempts())[1]).toMatchObject({ state: 'REFUNDED', next: 'refunded' })
  })

  it.each(['fr', 'en'] as const)('can be downloaded as a PDF proof of payment in %s (F1)', async lg => {
    const payer = await fixture.newPaymentApplicant('mtn')
    await payer.pay()
    await sendOutcome(payer, 'success')
    const params = { id: payer.applicationId }
    const proof = await payer.browser.call('paymentProof', { params, query: { lg } })
    expect(proof.headers['content-type']).toBe('application/pdf')
    expect(proof.headers['content-disposition']).toMatch(/^attachment; filename="PP-[\w-]+\.pdf"$/)
    const text = await readPdfText(bodyOf(proof))
    const { order_id: order, operator_reference: reference } = await payer.order()
    expect(text).toContain(order)
    expect(text).toContain(reference)
    expect(text).toContain(lg === 'fr' ? 'Paiement réussi' : 'Payment successful')
    expect(text).not.toContain(payer.phone)
  })

  it('hides a case file from other applicants (D12)', async () => {
    const payer = await fixture.newPaymentApplicant('mtn')
    const stranger = await fixture.newPaymentApplicant('mtn')
    const params = { id: payer.applicationId }
    expect((await stranger.browser.call('listPaymentAttempts', { params })).status).toBe(404)
    expect((await stranger.browser.call('paymentProof', { params })).status).toBe(404)
    expect((await openBrowser(fixture.server).call('paymentProof', { params })).status).toBe(401)
  })
})

describe('an aggregator payment', () => {
  it('stores neither the wallet’s code nor the payer’s name in the payment tables, nor logs them as a warning (PAY15, D42)', async () => {
    const payer = await fixture.newPaymentApplicant('collect')
    const [otp, name] = ['58213746', 'Markername Ngo']
    const body = { phone: payer.phone, paymentMethod: 'Yoomee-Money', name, otp }
    const query = { applicationId: payer.applicationId }
    const answer = await payer.browser.call('startAggregatorPayment', {
      query,
      body,
      key: crypto.randomUUID(),
    })
    expect(answer.status).toBe(200)
    const { db } = fixture.server.services
    const tables = await Promise.all(
      (['payment', 'payment_event', 'idempotency', 'card_page', 'outbox'] as const).map(table =>
        db.selectFrom(table).selectAll().execute(),
      ),
    )
    const stored = JSON.stringify([tables, fixture.server.warnings])
    expect(stored).toContain(payer.applicationId)
    expect(stored).not.toContain(otp)
    expect(stored).not.toContain('Markername')
  })

  it.each(['PayPal', 'mtn-money', ' ', 'constructor'])(
    'is refused, without an order to any wallet, when the payer names the wallet "%s", which is not offered (PAY12)',
    async paymentMethod => {
      const payer = await fixture.newPaymentApplicant('smobilpay')
      const { collect, smobilpay } = fixture.simulators
      const ordersBefore = collect.payments.size + smobilpay.payments.size
      const refused = await payer.browser.call('startAggregatorPayment', {
        query: { applicationId: payer.applicationId },
        body: { phone: payer.phone, paymentMethod, name: 'Ngo Biyong', otp: '4711' },
      })
      expect(refused).toMatchObject({
        status: 422,
        failure: { errors: [{ field: 'paymentMethod', message: 'not-in-list' }] },
      })
      expect(await payer.stored()).toEqual([])
      expect(collect.payments.size + smobilpay.payments.size).toBe(ordersBefore)
      // A Pay with an unknown wallet does not count as an attempt: the next Pay works at once.
      expect(await payer.pay()).toBe(200)
    },
  )

  it('answers a specific refusal when the wallet refuses the code, and allows the next Pay at once (ERR18)', async () => {
    const payer = await fixture.newPaymentApplicant('collect')
    const query = { applicationId: payer.applicationId }
    const body = { phone: payer.phone, paymentMethod: 'Yoomee-Money', name: 'Ngo' }
    const wrong = await payer.browser.call('startAggregatorPayment', {
      query,
      body: { ...body, otp: '0000' },
    })
    expect(wrong).toMatchObject({ status: 400, failure: { reason: 'payment-code-wrong' } })
    const right = await payer.browser.call('startAggregatorPayment', {
      query,
      body: { ...body, otp: '4711' },
    })
    expect(right.status).toBe(200)
  })
})
