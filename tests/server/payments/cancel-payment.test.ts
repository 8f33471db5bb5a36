import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { doNothing } from '#device/do-nothing.ts'
import { reconcileDue } from '#server/features/payments/reconcile.ts'
import type { PaymentProvider, ProviderStatus } from '#server/integrations/payment-provider.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { passTimeDuring } from '#support/providers/pass-time.ts'
import { type ApiApplicant, type ApiFixture, openApiFixture } from '../api-fixture.ts'
import { openPaymentFixture, type PaymentApplicant, type PaymentFixture } from './payment-fixture.ts'
import { createScriptedProvider } from './scripted-provider.ts'

const minuteSeconds = 60
const daySeconds = 86_400

/** `query`: a status query that has no answer before `release` is called. `whenAsked` resolves at the query. */
function hang() {
  const held = { ask: doNothing, release: doNothing }
  const whenAsked = new Promise<void>(resolve => {
    held.ask = resolve
  })
  const released = new Promise<void>(resolve => {
    held.release = resolve
  })
  const query = async (): Promise<ProviderStatus> => {
    held.ask()
    await released
    return { kind: 'pending' }
  }
  return { query, whenAsked, release: () => held.release() }
}

/** The portal waits 30 s for an answer, of which the network takes up to 10 s on a slow connection. */
const answerLimitMs = 20_000

describe('an applicant who cancels an open order', () => {
  let fixture: ApiFixture
  let outside: ReturnType<typeof createScriptedProvider>
  let applicant: ApiApplicant
  let applicationId: string

  beforeEach(() => {
    outside = createScriptedProvider()
  })
  afterEach(() => fixture.close())

  async function open(more: Partial<PaymentProvider> = {}) {
    const provider = { ...outside.provider, ...more }
    fixture = await openApiFixture({ providers: { MOBILE: provider, AGGREGATOR: outside.provider } })
    applicant = await fixture.signIn()
    applicationId = (await applicant.call('createApplication')).body?.data.id ?? ''
    await applicant.call('confirmData', { params: { id: applicationId }, body: toWire(firstPassport) })
  }

  async function pay(phone = '237671234567') {
    const { body } = await applicant.call('startMobilePayment', { query: { applicationId, phone } })
    return body?.data.id ?? ''
  }

  const cancel = (id: string, by = applicant) => by.call('cancelPayment', { params: { id } })
  const payments = () => fixture.db.selectFrom('payment').selectAll().orderBy('order_id').execute()
  const attempts = async () =>
    (await applicant.call('listPaymentAttempts', { params: { id: applicationId } })).body?.data ?? []
  const confirmCode = (id: string, otp: string) =>
    applicant.call('confirmPayment', { params: { id }, body: { otp } })

  async function makeOlder(seconds: number) {
    const older = (column: string) => sql<Date>`${sql.ref(column)} - make_interval(secs => ${seconds})`
    await fixture.db
      .updateTable('payment')
      .set({ created_at: older('created_at'), sent_at: older('sent_at'), ask_at: older('ask_at') })
      .execute()
  }

  it('ends it when nothing was sent yet, without a status query, and the version call lists cancelPayment (F1, D5, D47)', async () => {
    await open()
    const id = await pay()
    await fixture.db.updateTable('payment').set({ sent_at: null }).execute()
    expect((await cancel(id)).body?.data).toMatchObject({ id, paymentStatus: 'ERROR' })
    expect(outside.callCounts.queryStatus).toBe(0)
    expect(await pay('237671234568')).not.toBe(id)
    expect(await payments()).toHaveLength(2)
    expect((await applicant.call('version')).body?.data.features).toContain('cancelPayment')
  })

  it('ends it when a status query now says that the provider does not know it and no request can still be running (F1, D47)', async () => {
    await open()
    const id = await pay()
    outside.script.status = 'missing'
    expect(await cancel(id)).toMatchObject({
      status: 409,
      refusal: { refused: 'payment-not-cancelable', data: { why: 'just-sent' } },
    })
    await makeOlder(minuteSeconds)
    expect((await cancel(id)).body?.data.paymentStatus).toBe('ERROR')
    expect((await attempts())[0]).toMatchObject({ state: 'ERROR', next: 'canceled', nextAt: null })
  })

  it('ends it when a status query now says that it has failed (F1, D47)', async () => {
    await open()
    const id = await pay()
    outside.script.status = 'failed'
    expect((await cancel(id)).body?.data.paymentStatus).toBe('ERROR')
    expect((await attempts())[0]).toMatchObject({ next: 'nothing-taken' })
  })

  it.each([
    ['pending', 'in-progress'],
    ['other-amount', 'in-progress'],
    ['unknown', 'no-answer'],
    ['silence', 'no-answer'],
  ] as const)(
    'learns why not, and for how long, when the provider says: %s (F1, D47)',
    async (status, why) => {
      await open()
      const id = await pay()
      outside.script.status = status
      const { refusal, ...answer } = { refusal: undefined, ...(await cancel(id)) }
      expect(answer.status).toBe(409)
      expect(refusal).toMatchObject({ refused: 'payment-not-cancelable', data: { why } })
      expect(refusal?.message).toMatch(
        why === 'in-progress' ? /can still take the money/ : /is not answering/,
      )
      const [payment] = await payments()
      const orderedAt = payment?.created_at.getTime() ?? 0
      expect(refusal?.data).toMatchObject({
        why,
        tryAgainAt: new Date(orderedAt + 5 * minuteSeconds * 1_000).toISOString(),
        until: new Date(orderedAt + daySeconds * 1_000).toISOString(),
      })
      expect(payment?.status).toBe('IN_PROGRESS')
    },
  )

  it('learns why not while the portal still waits for the answer, when the provider hangs (D47, D68)', async () => {
    const hanging = hang()
    await open({ queryStatus: hanging.query })
    const id = await pay()
    const answered = await passTimeDuring(() => cancel(id), {
      whenWaiting: hanging.whenAsked,
      timeoutMs: answerLimitMs,
    })
    hanging.release()
    expect(answered).toMatchObject({ refusal: { data: { why: 'no-answer' } } })
    expect((await payments())[0]?.status).toBe('IN_PROGRESS')
  })

  it('learns while the portal still waits that a code was accepted, when the status query after it hangs, and the query continues (API32, D68)', async () => {
    outside.script.start = { kind: 'accepted', reference: 'r', needsPayerCode: true }
    const hanging = hang()
    await open({
      async queryStatus(order) {
        await hanging.query()
        return outside.provider.queryStatus(order)
      },
    })
    const id = await pay()
    const answered = await passTimeDuring(() => confirmCode(id, '4711'), {
      whenWaiting: hanging.whenAsked,
      timeoutMs: answerLimitMs,
    })
    expect(answered).toMatchObject({ body: { data: { paymentStatus: 'IN_PROGRESS', needOtp: false } } })
    hanging.release()
    await expect.poll(async () => (await payments())[0]?.status).toBe('SUCCESS')
  })

  it('finds that the payment has already succeeded (F1)', async () => {
    await open()
    const id = await pay()
    outside.script.status = 'success'
    expect((await cancel(id)).body?.data.paymentStatus).toBe('SUCCESS')
    expect((await cancel(id)).body?.data.paymentStatus).toBe('SUCCESS')
  })

  it('gets the same answer to a repeated call, and cannot cancel the order of another applicant (D12, D13)', async () => {
    await open()
    const id = await pay()
    await makeOlder(minuteSeconds)
    outside.script.status = 'missing'
    const stranger = await fixture.signIn()
    expect((await cancel(id, stranger)).status).toBe(404)
    expect((await payments())[0]?.status).toBe('IN_PROGRESS')
    const answers = await Promise.all([cancel(id), cancel(id), cancel(id)])
    expect(answers.map(({ body }) => body?.data.paymentStatus)).toEqual(['ERROR', 'ERROR', 'ERROR'])
    expect((await attempts())[0]?.history).toHaveLength(2)
  })

  it('is owed a refund when a canceled order succeeds after a second payment (F1, F2, D42)', async () => {
    const providers = { MOBILE: outside.provider }
    await open()
    const first = await pay()
    await makeOlder(minuteSeconds)
    outside.script.status = 'missing'
    await cancel(first)
    const second = await pay('237671234568')
    outside.script.status = 'success'
    await applicant.call('readPayment', { params: { id: second }, query: { applicationId } })
    await fixture.db
      .updateTable('payment')
      .set({ ask_at: sql<Date>`now()` })
      .where('id', '=', first)
      .execute()
    await reconcileDue(fixture.services, providers)
    expect(await payments()).toMatchObject([
      { id: first, status: 'SUCCESS', refund_due: true },
      { id: second, status: 'SUCCESS', refund_due: false },
    ])
    expect((await attempts()).map(({ next }) => next)).toEqual(['paid', 'refund-due'])
  })

  it('can cancel an order that waits for a code after a wrong one, and cannot enter a code then (PAY18, D47)', async () => {
    outside.script.start = { kind: 'accepted', reference: 'r', needsPayerCode: true }
    await open()
    const id = await pay()
    expect((await confirmCode(id, '1234')).status).toBe(400)
    expect((await cancel(id)).body?.data.paymentStatus).toBe('ERROR')
    expect(await confirmCode(id, '4711')).toMatchObject({ status: 409 })
    expect((await payments())[0]?.status).toBe('ERROR')
  })

  it('cannot cancel an order whose code the provider has not judged (PAY18, D47)', async () => {
    outside.script.start = { kind: 'accepted', reference: 'r', needsPayerCode: true }
    await open({ confirmCode: () => Promise.reject(new Error('ETIMEDOUT')) })
    const id = await pay()
    await confirmCode(id, '4711')
    expect(await cancel(id)).toMatchObject({ refusal: { data: { why: 'in-progress' } } })
  })

  it('can neither enter another code nor cancel while the provider judges one (PAY18, D47)', async () => {
    outside.script.start = { kind: 'accepted', reference: 'r', needsPayerCode: true }
    const answers: unknown[] = []
    await open({
      async confirmCode({ paymentId }, code) {
        if (code !== '4711') return { kind: 'refused', problem: 'payment-code-wrong' }
        // While the provider judges this code, another tab enters one and cancels.
        answers.push(await confirmCode(paymentId, '1234'), await cancel(paymentId))
        return { kind: 'accepted' }
      },
    })
    expect((await confirmCode(await pay(), '4711')).status).toBe(200)
    expect(answers).toMatchObject([
      { refusal: { refused: 'too-many-requests' } },
      { refusal: { data: { why: 'in-progress' } } },
    ])
  })

  it('cannot cancel an order that another tab sends during a status query (D42, D47)', async () => {
    await open({
      async queryStatus(order) {
        const answer = await outside.provider.queryStatus(order)
        await fixture.db
          .updateTable('payment')
          .set({ sent_at: sql<Date>`now()` })
          .execute()
        return answer
      },
    })
    const id = await pay()
    await makeOlder(minuteSeconds)
    outside.script.status = 'missing'
    expect(await cancel(id)).toMatchObject({ refusal: { data: { why: 'just-sent' } } })
    expect((await payments())[0]?.status).toBe('IN_PROGRESS')
  })

  it('holds no transaction that has locked or written a row during a status query (D72)', async () => {
    let locks = -1
    await open({
      async queryStatus() {
        const { rows } = await sql<{ count: number }>`
          select count(*)::int as count from pg_locks join pg_stat_activity using (pid)
          where locktype = 'transactionid' and datname = current_database()`.execute(fixture.db)
        locks = rows[0]?.count ?? -1
        return { kind: 'pending' }
      },
    })
    await cancel(await pay())
    expect(locks).toBe(0)
  })
})

describe('a payer who has an order at a gateway', () => {
  let fixture: PaymentFixture
  beforeAll(async () => {
    fixture = await openPaymentFixture()
  })
  afterAll(() => fixture.close())

  it('gets the open order from Pay, with its method and marked as existing (ERR17, PAY17)', async () => {
    const payer = await fixture.newPaymentApplicant('cinetpay')
    await payer.pay()
    const { id } = await payer.order()
    const answer = await payByPhone(payer, '237671234567')
    expect(answer).toMatchObject({
      kind: 'ok',
      body: { data: { id, methodType: 'CARD', isExisting: true, paymentStatus: 'IN_PROGRESS' } },
    })
    const query = { applicationId: payer.applicationId }
    const body = { phone: '237671234567', paymentMethod: 'MTN-Money', name: 'Ngo' }
    const others = await Promise.all([
      payer.browser.call('startAggregatorPayment', { query, body }),
      payer.browser.call('startMockPayment', { query }),
    ])
    for (const other of others) expect(other).toMatchObject({ body: { data: { id, isExisting: true } } })
  })

  it.each(['cinetpay', 'bacm'] as const)(
    'learns from Pay by the same card why its page does not open again, and for how long, once the gateway has shown it: %s (D42, D47)',
    async name => {
      const payer = await fixture.newPaymentApplicant(name)
      await payer.pay()
      const { id, created_at: orderedAt } = await payer.order()
      const query = { applicationId: payer.applicationId }
      const body = { method: name === 'bacm' ? ('BACM' as const) : ('CARD' as const) }
      const later = (seconds: number) => new Date(orderedAt.getTime() + seconds * 1_000).toISOString()
      expect(await payer.browser.call('startCardPayment', { query, body })).toMatchObject({
        status: 409,
        failure: {
          reason: 'payment-open',
          data: {
            paymentId: id,
            why: 'in-progress',
            tryAgainAt: later(30 * minuteSeconds),
            until: later(daySeconds),
          },
        },
      })
      expect(await payer.stored()).toHaveLength(1)
    },
  )

  it('learns from Pay by the same card that the gateway does not answer (D42, D47)', async () => {
    const payer = await fixture.newPaymentApplicant('cinetpay')
    await payer.askForCard()
    payer.simulator.behaviour.status = 'broken'
    const query = { applicationId: payer.applicationId }
    const answer = await payer.browser.call('startCardPayment', { query, body: { method: 'CARD' } })
    payer.simulator.behaviour.status = 'normal'
    expect(answer).toMatchObject({ failure: { reason: 'payment-open', data: { why: 'no-answer' } } })
    expect((await payer.askForCard()).status).toBe(200)
  })

  it('gets a new order that is not marked as existing (PAY17)', async () => {
    const payer = await fixture.newPaymentApplicant('mtn')
    const answer = await payByPhone(payer)
    expect(answer).toMatchObject({ kind: 'ok', body: { data: { methodType: 'MOBILE' } } })
    expect(answer.kind === 'ok' && answer.body.data.isExisting).toBeUndefined()
  })

  it('learns from Pay when the order can be repeated, because the last try was moments ago (ERR16, D42)', async () => {
    const payer = await fixture.newPaymentApplicant('mtn')
    await payByPhone(payer)
    const { order_id: order } = await payer.order()
    payer.simulator.decide(order, 'failed')
    expect(await payer.poll()).toBe('ERROR')
    const answer = await payByPhone(payer)
    const failure = answer.kind === 'failed' ? answer.failure : undefined
    expect(failure?.reason).toBe('payment-too-soon')
    expect(failure?.message).toMatch(/was not created.*Try again in [1-6]?\d\u00a0s\./)
  })

  it('gets no form any more from the card page of a canceled order (F1, D47)', async () => {
    const payer = await fixture.newPaymentApplicant('uba')
    const { page = '' } = await payer.askForCard()
    const { id } = await payer.order()
    const answer = await payer.browser.call('cancelPayment', { params: { id } })
    expect(answer).toMatchObject({ body: { data: { paymentStatus: 'ERROR' } } })
    const { statusCode, body } = await fixture.server.app.inject({ url: page })
    expect(statusCode).toBe(410)
    expect(body).not.toContain('<form')
  })

  it('gets no form any more from the card page of an order that another method has replaced (D42)', async () => {
    const payer = await fixture.newPaymentApplicant('uba')
    const { page = '' } = await payer.askForCard()
    expect((await payByPhone(payer, '237671235599')).status).toBe(200)
    expect((await payer.stored()).map(({ status }) => status)).toEqual(['IN_PROGRESS', 'ERROR'])
    const { statusCode, body } = await fixture.server.app.inject({ url: page })
    expect(statusCode).toBe(410)
    expect(body).not.toContain('<form')
  })

  it('gets a new order after the card order was canceled, whose late success still counts (F1, D47)', async () => {
    const payer = await fixture.newPaymentApplicant('cinetpay')
    await payer.pay()
    const { id, order_id: order } = await payer.order()
    const cancel = () => payer.browser.call('cancelPayment', { params: { id } })
    expect((await cancel()).status).toBe(409)
    const atGateway = payer.simulator.payments.get(order)
    payer.simulator.payments.delete(order)
    expect(await cancel()).toMatchObject({ body: { data: { paymentStatus: 'ERROR' } } })
    expect((await payByPhone(payer, '237671234599')).status).toBe(200)
    if (atGateway) payer.simulator.payments.set(order, atGateway)
    await fixture.deliver(payer.simulator.decide(order, 'success'))
    await expect.poll(() => payer.facts()).toMatchObject({ state: 'PAYMENT_DONE', counted: 1 })
    const [open, canceled] = await payer.stored()
    expect([open?.status, canceled?.status]).toEqual(['IN_PROGRESS', 'SUCCESS'])
  })
})

function payByPhone({ browser, applicationId, phone }: PaymentApplicant, number = phone) {
  return browser.call('startMobilePayment', { query: { applicationId, phone: number } })
}
