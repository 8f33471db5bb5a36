import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { deleteExpiredRows } from '#server/features/deletion/delete-expired-rows.ts'
import { eraseAccounts } from '#server/features/deletion/erase-accounts.ts'
import { reconcileDue } from '#server/features/payments/reconcile.ts'
import type { PaymentProvider } from '#server/integrations/payment-provider.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { forceRace, rowOfApplication } from '#support/servers/forced-race.ts'
import { type ApiFixture, openApiFixture } from '../api-fixture.ts'
import { openBookingFixture } from '../appointments/booking-fixture.ts'
import { createScriptedProvider } from '../payments/scripted-provider.ts'
import { readTakenPlaces } from '../taken-places.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map(each => each.close()))
})

async function openPayments(): Promise<ApiFixture> {
  const { provider } = createScriptedProvider()
  const fixture = await openApiFixture({ database: 'postgresql', providers: { MOBILE: provider } })
  open.push(fixture)
  return fixture
}

/** An applicant with an application to pay, whose account is due for deletion now. */
async function dueForDeletion(fixture: ApiFixture) {
  const applicant = await fixture.signIn()
  const id = (await applicant.call('createApplication')).body?.data.id ?? ''
  await applicant.call('confirmData', { params: { id }, body: toWire(firstPassport) })
  await sql`update applicant set deletion_at = now()`.execute(fixture.db)
  return { applicant, id }
}

describe('the deletion of expired rows (D113)', () => {
  it('neither waits for a row that another call changes at the moment nor deletes it', async () => {
    const { db } = await openPayments()
    const old = sql<Date>`now() - interval '1 year'`
    const challenge = { kind: 'phone', browser_hash: 'b', created_at: old } as const
    await db
      .insertInto('challenge')
      .values([
        { ...challenge, value: 'changed' },
        { ...challenge, value: 'expired' },
      ])
      .execute()
    let job: Promise<void> | undefined
    // As a request for a code: it changes its old row and stores a code in the same transaction.
    await db.transaction().execute(async trx => {
      await sql`with asked as (update challenge set tries = 0 where value = 'changed' returning id)
        insert into one_time_code (challenge_id, code_hash, expires_at) select id, 'h', now() from asked`.execute(
        trx,
      )
      job = deleteExpiredRows(db)
      expect(await Promise.race([job, pause(5_000, 'waits')])).toBeUndefined()
    })
    await job
    expect(await db.selectFrom('challenge').select('value').execute()).toEqual([{ value: 'changed' }])
    expect(await db.selectFrom('one_time_code').select('code_hash').execute()).toHaveLength(1)
  })
})

describe('the erasing of an account under its locks (D112)', () => {
  it('does not erase an account when a payment is stored while the job waits for the lock of its application', async () => {
    const fixture = await openPayments()
    const { applicant, id } = await dueForDeletion(fixture)
    const [started] = await forceRace(fixture.db, {
      lock: rowOfApplication(id),
      actions: [
        () => applicant.call('startMobilePayment', { query: { applicationId: id, phone: '237671234567' } }),
        () => eraseAccounts(fixture.services),
      ],
    })
    expect(started.status).toBe(200)
    const orders = await fixture.db.selectFrom('payment').select('status').execute()
    expect(orders).toEqual([{ status: 'IN_PROGRESS' }])
    expect(await fixture.db.selectFrom('past_order').selectAll().execute()).toEqual([])
    expect(await fixture.db.selectFrom('applicant').select('id').execute()).toHaveLength(1)
  })
  it('does not erase an account while the last status query of an order of this account runs, because the payer may have paid (D42)', async () => {
    const { provider, script } = createScriptedProvider()
    let begin: (() => void) | undefined
    let answer: (() => void) | undefined
    const begun = new Promise<void>(resolve => (begin = resolve))
    const slow: PaymentProvider = {
      ...provider,
      async queryStatus(order) {
        begin?.()
        await new Promise<void>(resolve => (answer = resolve))
        return provider.queryStatus(order)
      },
    }
    const fixture = await openApiFixture({ providers: { MOBILE: slow } })
    open.push(fixture)
    const { applicant, id } = await dueForDeletion(fixture)
    await applicant.call('startMobilePayment', { query: { applicationId: id, phone: '237671234567' } })
    await sql`update payment set status = 'ERROR', settled_at = now() - interval '2 days',
      created_at = now() - interval '2 days', ask_at = now()`.execute(fixture.db)
    script.status = 'success'
    const last = reconcileDue(fixture.services, { MOBILE: slow })
    await begun
    await eraseAccounts(fixture.services)
    answer?.()
    await last
    const orders = await fixture.db.selectFrom('payment').select('status').execute()
    expect(orders).toEqual([{ status: 'SUCCESS' }])
    expect(await fixture.db.selectFrom('applicant').select('id').execute()).toHaveLength(1)
  })
  it('frees a place that is reserved while the job waits for the lock of the application', async () => {
    const fixture = await openBookingFixture({ kind: 'postgresql', poolSize: 10 })
    open.push(fixture)
    const { db, services } = fixture
    const [paid] = await fixture.createPaidApplicants(1)
    if (!paid) throw new Error('Expected one application')
    await sql`update applicant set deletion_at = now()`.execute(db)
    const [held] = await forceRace(db, {
      lock: rowOfApplication(paid.applicationId),
      actions: [() => fixture.reserve(paid), () => eraseAccounts(services)],
    })
    expect(held).toHaveProperty('id')
    expect(await db.selectFrom('application').select('id').execute()).toEqual([])
    expect(await readTakenPlaces(db)).toEqual([])
  })
})
