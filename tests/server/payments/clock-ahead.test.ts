import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPaymentFixture, type PaymentApplicant, type PaymentFixture } from './payment-fixture.ts'

let fixture: PaymentFixture
beforeAll(async () => {
  fixture = await openPaymentFixture()
})
afterAll(() => fixture.close())

const daySeconds = 86_400

/** Moves the times of the order one day into the future. */
async function moveOneDayAhead(payer: PaymentApplicant) {
  await payer.makeOlderBySeconds(-daySeconds)
}

async function decide(payer: PaymentApplicant, outcome: 'success' | 'failed') {
  payer.simulator.decide((await payer.order()).order_id, outcome)
}

describe('an order whose times were stored while the clock of the database was a day ahead (D95)', () => {
  it('is paid by the next round of the reconciler', async () => {
    const payer = await fixture.newPaymentApplicant('mtn')
    expect(await payer.pay()).toBe(200)
    await moveOneDayAhead(payer)
    await decide(payer, 'success')
    await fixture.server.reconcile()
    expect((await payer.facts()).state).toBe('PAYMENT_DONE')
  })

  it('is paid by the next poll of the result page', async () => {
    const payer = await fixture.newPaymentApplicant('mtn')
    expect(await payer.pay()).toBe(200)
    expect(await payer.poll()).toBe('IN_PROGRESS')
    await moveOneDayAhead(payer)
    await decide(payer, 'success')
    expect(await payer.poll()).toBe('SUCCESS')
  })

  it('is paid by its webhook', async () => {
    const payer = await fixture.newPaymentApplicant('mtn')
    expect(await payer.pay()).toBe(200)
    expect(await payer.poll()).toBe('IN_PROGRESS')
    await moveOneDayAhead(payer)
    await fixture.deliver(payer.simulator.decide((await payer.order()).order_id, 'success'))
    expect((await payer.facts()).state).toBe('PAYMENT_DONE')
  })

  it('is paid when it had failed, and the success comes late (D42)', async () => {
    const payer = await fixture.newPaymentApplicant('mtn')
    expect(await payer.pay()).toBe(200)
    await decide(payer, 'failed')
    expect(await payer.poll()).toBe('ERROR')
    await moveOneDayAhead(payer)
    await decide(payer, 'success')
    await fixture.server.reconcile()
    expect((await payer.facts()).state).toBe('PAYMENT_DONE')
  })

  it('keeps no later order of its number waiting until that time (D97)', async () => {
    const payer = await fixture.newPaymentApplicant('mtn')
    expect(await payer.pay()).toBe(200)
    await decide(payer, 'failed')
    expect(await payer.poll()).toBe('ERROR')
    await moveOneDayAhead(payer)
    expect(await payer.pay()).toBe(200)
  })

  it('is queried each minute, not in each round, until that time has come', async () => {
    const payer = await fixture.newPaymentApplicant('mtn')
    expect(await payer.pay()).toBe(200)
    await moveOneDayAhead(payer)
    await fixture.server.reconcile()
    const asked = await fixture.server.services.db
      .selectFrom('payment')
      .select([
        sql<number>`extract(epoch from ask_at - asked_at)::int`.as('pauseSeconds'),
        sql<boolean>`asked_at <= now()`.as('isNow'),
      ])
      .where('application_id', '=', payer.applicationId)
      .executeTakeFirstOrThrow()
    expect(asked).toEqual({ pauseSeconds: 60, isNow: true })
    const before = (await payer.order()).asked_at
    await fixture.server.reconcile()
    expect((await payer.order()).asked_at).toEqual(before)
  })
})
