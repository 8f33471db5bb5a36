import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { applyStatus } from '#server/features/payments/provider-calls.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { type ApiFixture, openApiFixture } from '../api-fixture.ts'
import { createScriptedProvider } from './scripted-provider.ts'

const parallelCalls = 20

function atOnce<Result>(run: (index: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: parallelCalls }, (_, index) => run(index)))
}

describe.each(['pglite', 'postgresql'] as const)('the server under twenty calls at once on %s', kind => {
  let fixture: ApiFixture
  const outside = createScriptedProvider()
  let numbers = 0
  beforeAll(async () => {
    fixture = await openApiFixture({ database: kind, providers: { MOBILE: outside.provider } })
  })
  afterAll(() => fixture.close())

  async function confirmed() {
    const applicant = await fixture.signIn()
    const id = (await applicant.call('createApplication')).body?.data.id ?? ''
    await applicant.call('confirmData', { params: { id }, body: toWire(firstPassport) })
    // Each Pay uses another number, because the same number would have to wait a minute after a failure.
    const pay = () => {
      numbers += 1
      const phone = String(237_671_000_000 + numbers)
      return applicant.call('startMobilePayment', { query: { applicationId: id, phone } })
    }
    return { applicant, id, pay }
  }

  it('creates one application (LST07)', async () => {
    const applicant = await fixture.signIn()
    const answers = await atOnce(() => applicant.call('createApplication'))
    expect(new Set(answers.map(({ body }) => body?.data.id)).size).toBe(1)
    expect(answers[0]?.body?.data.id).toBeTypeOf('string')
  })

  it('saves one form for each version and overwrites none (D14)', async () => {
    const applicant = await fixture.signIn()
    const id = (await applicant.call('createApplication')).body?.data.id ?? ''
    const answers = await atOnce(index =>
      applicant.call('saveData', {
        params: { id },
        body: { surname: `N${index}`, draft: true, baseVersion: 0 },
      }),
    )
    const winner = answers.findIndex(({ status }) => status === 200)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(parallelCalls - 1)
    const { body } = await applicant.call('readData', { params: { id } })
    expect(body?.data).toMatchObject({ surname: `N${winner}`, version: 1 })
  })

  it('stores one order and starts it once at its provider (D42)', async () => {
    const { pay } = await confirmed()
    const before = outside.callCounts.start
    const answers = await atOnce(pay)
    expect(new Set(answers.map(({ body }) => body?.data.orderId)).size).toBe(1)
    expect(outside.callCounts.start - before).toBe(1)
  })

  it('either cancels an order or passes the code of its payer to the provider, never both (PAY18, D47)', async () => {
    const { applicant, pay } = await confirmed()
    outside.script.start = { kind: 'accepted', reference: 'r', needsPayerCode: true }
    const params = { id: (await pay()).body?.data.id ?? '' }
    const codesBefore = outside.callCounts.confirm
    const statuses = await atOnce(async index =>
      index % 2 === 0
        ? (await applicant.call('cancelPayment', { params })).body?.data.paymentStatus
        : (await applicant.call('confirmPayment', { params, body: { otp: '4711' } })).body?.data
            .paymentStatus,
    )
    outside.script.start = { kind: 'accepted', reference: 'r', needsPayerCode: false }
    outside.script.status = 'pending'
    const codes = outside.callCounts.confirm - codesBefore
    expect(statuses.includes('ERROR')).toBe(codes === 0)
    expect(statuses.includes('SUCCESS')).toBe(codes > 0)
  })

  it('counts one payment and marks the others for refund when failures, late successes and new orders are mixed (D42, F1)', async () => {
    const { applicant, id, pay } = await confirmed()
    const storedOrders = () =>
      fixture.db.selectFrom('payment').selectAll().where('application_id', '=', id).execute()
    type Order = Awaited<ReturnType<typeof storedOrders>>[number]
    const fail = (order: Order) =>
      applyStatus(fixture.services, order, { kind: 'failed', reason: 'EXPIRED', failure: 'expired' })
    const succeed = (order: Order) => {
      const { order_id: orderId, amount, currency } = order
      return applyStatus(fixture.services, order, { kind: 'success', orderId, amount, currency })
    }
    async function openOrder(): Promise<Order> {
      const { body } = await pay()
      const opened = (await storedOrders()).find(order => order.id === body?.data.id)
      if (!opened) throw new Error('no order')
      return opened
    }
    const first = await openOrder()
    await fail(first)
    const second = await openOrder()
    await atOnce<unknown>(index => {
      if (index % 4 === 0) return pay()
      if (index % 4 === 1) return fail(second)
      return succeed(index % 4 === 2 ? second : first)
    })
    // The mix may have opened one more order.
    await Promise.all((await storedOrders()).map(succeed))
    const stored = await storedOrders()
    expect(stored.length).toBeGreaterThan(1)
    expect(stored.every(({ status }) => status === 'SUCCESS')).toBe(true)
    expect(stored.filter(each => !each.refund_due)).toHaveLength(1)
    const list = await applicant.call('listApplications')
    expect(list.body?.data[0]?.currentState).toBe('PAYMENT_DONE')
  })
})
