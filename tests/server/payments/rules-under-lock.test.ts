import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { reconcileDue } from '#server/features/payments/reconcile.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { forceRace, rowOfApplication } from '#support/servers/forced-race.ts'
import { type ApiApplicant, type ApiFixture, openApiFixture } from '../api-fixture.ts'
import { createScriptedProvider } from './scripted-provider.ts'

let fixture: ApiFixture
let scripted: ReturnType<typeof createScriptedProvider>
beforeEach(async () => {
  scripted = createScriptedProvider()
  fixture = await openApiFixture({
    database: 'postgresql',
    env: { PAYMENT_METHODS: 'WHITELIST' },
    providers: { MOBILE: scripted.provider },
  })
})
afterEach(() => fixture.close())

const payerNumber = '237671234567'

async function confirmApplication(contact?: { phone: string } | { email: string }) {
  const applicant = await fixture.signIn(contact)
  const id = (await applicant.call('createApplication')).body?.data.id ?? ''
  await applicant.call('confirmData', { params: { id }, body: toWire(firstPassport) })
  return { applicant, id }
}

function pay(applicant: ApiApplicant, applicationId: string) {
  return applicant.call('startMobilePayment', { query: { applicationId, phone: payerNumber } })
}

/** Two applicants order at once, each for an own application, from the same number. */
async function payAtOnce() {
  const [one, other] = [
    await confirmApplication({ phone: '237671000001' }),
    await confirmApplication({ phone: '237671000002' }),
  ]
  return forceRace(fixture.db, {
    // Holds the first order between its check and its commit.
    lock: sql`lock table payment_event in exclusive mode`,
    actions: [() => pay(one.applicant, one.id), () => pay(other.applicant, other.id)],
  })
}

function rowOfPayment(id: string) {
  return sql`select from payment where id = ${id} for update`
}

async function statusOf(id: string) {
  const row = await fixture.db.selectFrom('payment').select('status').where('id', '=', id).executeTakeFirst()
  return row?.status
}

function payByWhitelist({ applicant, id }: Awaited<ReturnType<typeof confirmApplication>>) {
  return applicant.call('startWhitelistPayment', { query: { applicationId: id } })
}

describe('the server, which decides about a payment under a lock,', () => {
  it('does not pass on the code of the payer when another request has stopped the wait for a code after the payment was read (PAY18, D96)', async () => {
    scripted.script.start = { kind: 'accepted', reference: 'r', needsPayerCode: true }
    const { applicant, id } = await confirmApplication()
    const paymentId = (await pay(applicant, id)).body?.data.id ?? ''
    const [answer] = await forceRace(fixture.db, {
      lock: rowOfApplication(id),
      actions: [() => applicant.call('confirmPayment', { params: { id: paymentId }, body: { otp: '4711' } })],
      change: trx =>
        trx.updateTable('payment').set({ need_otp: false }).where('id', '=', paymentId).execute(),
    })
    expect(answer).toMatchObject({ status: 409, refusal: { refused: 'wrong-state' } })
    expect(scripted.callCounts.confirm).toBe(0)
  })

  it.each([
    ['was never sent', { sent_at: null }],
    ['is missing at the provider', { sent_at: sql<Date>`now() - interval '10 minutes'` }],
  ])(
    'does not end an order that %s when another request sends it before the lock (D42, D96)',
    async (_, sent) => {
      const { applicant, id } = await confirmApplication()
      const paymentId = (await pay(applicant, id)).body?.data.id ?? ''
      const longAgo = sql<Date>`now() - interval '10 minutes'`
      await fixture.db
        .updateTable('payment')
        .set({ created_at: longAgo, asked_at: null, ...sent })
        .execute()
      scripted.script.status = 'missing'
      await forceRace(fixture.db, {
        lock: rowOfPayment(paymentId),
        actions: [
          () => applicant.call('readPayment', { params: { id: paymentId }, query: { applicationId: id } }),
        ],
        change: trx =>
          trx
            .updateTable('payment')
            .set({ sent_at: sql<Date>`now()` })
            .where('id', '=', paymentId)
            .execute(),
      })
      expect(await statusOf(paymentId)).toBe('IN_PROGRESS')
    },
  )

  it('stores no incomplete form when an order is opened at the same moment (D14, D96)', async () => {
    const { applicant, id } = await confirmApplication()
    const [paid, saved] = await forceRace(fixture.db, {
      lock: rowOfApplication(id),
      actions: [
        () => pay(applicant, id),
        () =>
          applicant.call('saveData', {
            params: { id },
            body: { ...toWire({ ...firstPassport, surname: '' }), draft: true },
          }),
      ],
    })
    expect([paid.status, saved.status]).toEqual([200, 409])
    const { body } = await applicant.call('readData', { params: { id } })
    expect(body?.data).toMatchObject({ surname: firstPassport.surname, draft: false })
  })

  it('stores no incomplete form that was sent before the form was confirmed and an order opened (D14, D96)', async () => {
    const applicant = await fixture.signIn()
    const id = (await applicant.call('createApplication')).body?.data.id ?? ''
    const [confirmed, paid, saved] = await forceRace(fixture.db, {
      lock: rowOfApplication(id),
      actions: [
        () => applicant.call('confirmData', { params: { id }, body: toWire(firstPassport) }),
        () => pay(applicant, id),
        () =>
          applicant.call('saveData', {
            params: { id },
            body: { ...toWire({ ...firstPassport, surname: '' }), draft: true },
          }),
      ],
    })
    expect([confirmed.status, paid.status, saved.status]).toEqual([200, 200, 409])
    const { body } = await applicant.call('readData', { params: { id } })
    expect(body?.data).toMatchObject({ surname: firstPassport.surname, draft: false })
  })

  it('keeps a complete form for a late payment when an incomplete form is saved at the same moment (D14, D42)', async () => {
    const { applicant, id } = await confirmApplication()
    const paymentId = (await pay(applicant, id)).body?.data.id ?? ''
    scripted.script.status = 'failed'
    await applicant.call('readPayment', { params: { id: paymentId }, query: { applicationId: id } })
    expect(await statusOf(paymentId)).toBe('ERROR')
    const type = (surname: string) => () =>
      applicant.call('saveData', {
        params: { id },
        body: { ...toWire({ ...firstPassport, surname }), draft: true },
      })
    const saved = await forceRace(fixture.db, {
      lock: rowOfApplication(id),
      actions: [type('NGO'), type('')],
    })
    expect(saved.map(({ status }) => status)).toEqual([200, 200])
    scripted.script.status = 'success'
    await fixture.db
      .updateTable('payment')
      .set({ ask_at: sql<Date>`now()` })
      .execute()
    await reconcileDue(fixture.services, { MOBILE: scripted.provider })
    const { body } = await applicant.call('readData', { params: { id } })
    expect(body?.data).toMatchObject({ currentState: 'PAYMENT_DONE', surname: 'NGO', draft: false })
  })

  it('does not give up an order of a day ago that the provider refuses at the same moment (D42, D96)', async () => {
    const { applicant, id } = await confirmApplication()
    const paymentId = (await pay(applicant, id)).body?.data.id ?? ''
    const dayAgo = sql<Date>`now() - interval '1 day'`
    await fixture.db
      .updateTable('payment')
      .set({ created_at: dayAgo, sent_at: dayAgo, asked_at: null, ask_at: sql<Date>`now()` })
      .execute()
    scripted.script.status = 'failed'
    await forceRace(fixture.db, {
      lock: rowOfApplication(id),
      actions: [
        () => applicant.call('readPayment', { params: { id: paymentId }, query: { applicationId: id } }),
        async () => {
          // Simulates a status query of the reconciler that began before the applicant's request and has an older answer.
          scripted.script.status = 'pending'
          await reconcileDue(fixture.services, { MOBILE: scripted.provider })
        },
      ],
    })
    const { body } = await applicant.call('listPaymentAttempts', { params: { id } })
    expect(body?.data).toMatchObject([
      { state: 'ERROR', failure: 'not-enough-money', next: 'nothing-taken', nextAt: null },
    ])
    const { rows } = await sql`
      select given_up_at, ask_at <= now() + interval '1 minute' as "isQueriedSoon" from payment`.execute(
      fixture.db,
    )
    expect(rows).toEqual([{ given_up_at: null, isQueriedSoon: true }])
  })

  it('sends one of two orders that two applications place at once from the same number (D42, D96)', async () => {
    const answers = await payAtOnce()
    expect(answers.map(({ status }) => status)).toEqual([200, 409])
    expect(answers[1]).toMatchObject({ refusal: { refused: 'payment-too-soon' } })
    expect(scripted.callCounts.start).toBe(1)
  })

  it('sends only one of two orders at once from a number with nine unpaid orders, because ten are allowed (D96, D97)', async () => {
    for (let index = 0; index < 9; index += 1) {
      const { applicant, id } = await confirmApplication({ phone: String(237_671_000_010 + index) })
      expect((await pay(applicant, id)).status).toBe(200)
      await fixture.db
        .updateTable('payment')
        .set({ status: 'ERROR', created_at: sql<Date>`now() - interval '1 hour'` })
        .execute()
      await fixture.db
        .updateTable('payment')
        .set({ sent_at: sql<Date>`created_at` })
        .execute()
    }
    const answers = await payAtOnce()
    expect(answers.map(({ status }) => status)).toEqual([200, 409])
    expect(answers[1]).toMatchObject({ refusal: { refused: 'payment-number-attempts' } })
    expect(scripted.callCounts.start).toBe(10)
  })
})

describe('a payment of the old system (PAY31)', () => {
  it('pays for one application when two applicants with its contacts use it at once (D96)', async () => {
    const entry = crypto.randomUUID()
    await fixture.db
      .insertInto('whitelist')
      .values([
        { kind: 'phone', value: payerNumber, entry },
        { kind: 'email', value: 'payer@example.cm', entry },
      ])
      .execute()
    const payers = [
      await confirmApplication({ phone: payerNumber }),
      await confirmApplication({ email: 'payer@example.cm' }),
    ]
    const answers = await forceRace(fixture.db, {
      lock: sql`select from whitelist for update`,
      actions: payers.map(payer => () => payByWhitelist(payer)),
    })
    expect(answers.map(({ status }) => status)).toEqual([200, 409])
  })

  it('stays used when the contact goes to another applicant (D96)', async () => {
    await fixture.db.insertInto('whitelist').values({ kind: 'phone', value: payerNumber }).execute()
    expect((await payByWhitelist(await confirmApplication({ phone: payerNumber }))).status).toBe(200)
    await fixture.db.deleteFrom('contact').execute()
    const next = await confirmApplication({ phone: payerNumber })
    expect((await next.applicant.call('listPaymentMethods')).body?.data.at(-1)).toMatchObject({
      type: 'WHITELIST',
      enable: false,
    })
    expect(await payByWhitelist(next)).toMatchObject({
      status: 409,
      refusal: { refused: 'method-unavailable' },
    })
  })
})
