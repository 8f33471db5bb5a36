import { sql } from 'kysely'
import { recordStatementsOf } from '#support/servers/statements.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { storeReport } from '#server/features/messages/delivery-reports.ts'
import { claimRun, runEvery } from '#server/jobs/run-every.ts'
import { createMetrics, type Metrics } from '#server/monitoring/metrics.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { bodyOf, openBrowser, type SignedIn, signIn } from '#support/servers/api-client.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { openCliFixture } from '../cli/cli-fixture.ts'
import { createPaidApplication, findFreeTime } from '../paid-application.ts'

let server: TestServer
let metrics: Metrics
let applicant: SignedIn
beforeAll(async () => {
  server = await startTestServer()
  metrics = createMetrics(server.services, server.poolLoad)
  applicant = await signIn(server)
})
afterAll(() => server.close())

/** Returns how much each line of the metrics grows while `act` runs: the counters are those of the whole process. */
async function growthBy(act: () => Promise<unknown>): Promise<(line: string) => number> {
  const before = await readLines()
  await act()
  const after = await readLines()
  return line => (after.get(line) ?? 0) - (before.get(line) ?? 0)
}

async function readLines(): Promise<Map<string, number>> {
  const text = await metrics.registry.metrics()
  const pairs = [...text.matchAll(/^([a-z]\S*) (\S+)$/gm)]
  return new Map(pairs.map(([, line = '', value]) => [line, Number(value)]))
}

/**
 * Makes the first transaction that updates the table fail at its commit, as a lost race does. Later ones succeed: the
 * sequence has counted the failed one, because no rollback changes a sequence.
 */
async function failFirstCommit(table: string): Promise<void> {
  const name = sql.ref(`fail_${table}`)
  await sql`create sequence ${name}`.execute(server.services.db)
  await sql`create function ${name}() returns trigger language plpgsql as $$
    begin
      if nextval(${sql.lit(`fail_${table}`)}) = 1 then raise exception using errcode = '40001'; end if;
      return null;
    end $$`.execute(server.services.db)
  await sql`create constraint trigger ${name} after update on ${sql.table(table)}
    deferrable initially deferred for each row execute function ${name}()`.execute(server.services.db)
}

async function figure(line: string): Promise<number | undefined> {
  await metrics.readDatabase()
  return (await readLines()).get(line)
}

describe('the metrics of what applicants do (D105)', () => {
  it('count codes that were sent and used, sign-ins and sent messages', async () => {
    const growth = await growthBy(async () => {
      await signIn(server, { phone: '33612345678' })
      await signIn(server, { email: 'awa@example.cm' })
      await openBrowser(server).call('auth', { body: { msisdn: '237671111111', email: '' } })
    })
    expect(growth('codes_sent_total{channel="sms",dial_code="33"}')).toBe(1)
    expect(growth('codes_used_total{channel="sms",dial_code="33"}')).toBe(1)
    expect(growth('codes_sent_total{channel="email",dial_code=""}')).toBe(1)
    expect(growth('codes_used_total{channel="email",dial_code=""}')).toBe(1)
    expect(growth('codes_sent_total{channel="sms",dial_code="237"}')).toBe(1)
    expect(growth('codes_used_total{channel="sms",dial_code="237"}')).toBe(0)
    expect(growth('sign_ins_total')).toBe(2)
    expect(growth('messages_total{channel="email",outcome="sent"}')).toBe(1)
    expect(growth('message_taken_seconds_count{channel="email",priority="code"}')).toBe(1)
  })

  it('measure the delivery of a code apart from that of other messages, by the report of the gateway', async () => {
    const { db } = server.services
    const growth = await growthBy(async () => {
      for (const [kind, priority] of [
        ['code', 0],
        ['confirmation', 1],
        ['day-closed', 2],
      ] as const) {
        const reference = `delivered-${kind}`
        await sql`insert into outbox (key, channel, kind, recipient, message, priority, give_up_at, sent_at, provider, provider_reference)
          values (${reference}, 'sms', ${kind}, '', '{}', ${priority}, now(), now() - interval '20 seconds', 'orange', ${reference})`.execute(
          db,
        )
        await storeReport(server.services, 'orange', { reference, outcome: 'delivered' })
      }
    })
    for (const priority of ['code', 'notice', 'bulk'])
      expect(growth(`message_delivered_seconds_count{channel="sms",priority="${priority}"}`), priority).toBe(
        1,
      )
  })

  it('count drafts, submits, payments by method and outcome, holds and bookings, and a repeat of a write once', async () => {
    const growth = await growthBy(async () => {
      const { id } = bodyOf(await applicant.call('createApplication', { key: crypto.randomUUID() })).data
      const draft = { params: { id }, body: { ...toWire(firstPassport), draft: true } }
      const key = crypto.randomUUID()
      bodyOf(await applicant.call('saveData', { ...draft, key }))
      bodyOf(await applicant.call('saveData', { ...draft, key }))
      bodyOf(await applicant.call('saveData', { ...draft, body: { ...draft.body, draft: false } }))
      const { applicationId } = await createPaidApplication(server, applicant)
      const time = await findFreeTime(applicant, applicationId)
      const body = { applicationId, officeId: '1', appointmentDate: time }
      const hold = bodyOf(await applicant.call('createAppointment', { body })).data
      bodyOf(await applicant.call('confirmAppointment', { params: { id: hold.id } }))
    })
    const grown = {
      applications_created_total: 1,
      drafts_saved_total: 1,
      submits_total: 1,
      confirmations_total: 1,
      'payment_orders_total{method="MOCK"}': 1,
      'payments_total{method="MOCK",outcome="success"}': 1,
      holds_total: 1,
      bookings_total: 1,
      holds_lost_total: 0,
    }
    expect(Object.fromEntries(Object.keys(grown).map(line => [line, growth(line)]))).toEqual(grown)
  })

  it('count an application, a hold and a booking once when a further call finds them', async () => {
    const growth = await growthBy(async () => {
      bodyOf(await applicant.call('createApplication'))
      const { applicationId } = await createPaidApplication(server, applicant)
      const appointmentDate = await findFreeTime(applicant, applicationId)
      const body = { applicationId, officeId: '1', appointmentDate }
      const { id } = bodyOf(await applicant.call('createAppointment', { body })).data
      for (const _ of [1, 2])
        expect(bodyOf(await applicant.call('createAppointment', { body })).data.id).toBe(id)
      const change = { officeId: '1', appointmentDate, generalQueue: false }
      bodyOf(await applicant.call('updateAppointment', { params: { id }, body: change }))
      for (const _ of [1, 2, 3])
        expect(bodyOf(await applicant.call('confirmAppointment', { params: { id } })).data).toBe(true)
    })
    expect(growth('applications_created_total')).toBe(1)
    expect(growth('holds_total')).toBe(1)
    expect(growth('bookings_total')).toBe(1)
    expect(growth('holds_lost_total')).toBe(0)
  })

  it('count a reservation that was over when it was confirmed, and a refusal by its call and problem', async () => {
    const growth = await growthBy(async () => {
      const { applicationId } = await createPaidApplication(server, applicant)
      const appointmentDate = await findFreeTime(applicant, applicationId)
      const body = { applicationId, officeId: '1', appointmentDate }
      const { id } = bodyOf(await applicant.call('createAppointment', { body })).data
      await sql`update appointment set held_until = now() - interval '1 minute' where id = ${id}`.execute(
        server.services.db,
      )
      expect(bodyOf(await applicant.call('confirmAppointment', { params: { id } })).data).toBe(false)
      await applicant.call('startMockPayment', { query: { applicationId: crypto.randomUUID() } })
    })
    expect(growth('holds_lost_total')).toBe(1)
    expect(growth('bookings_total')).toBe(0)
    expect(growth('refusals_total{call="startMockPayment",problem="not-found"}')).toBe(1)
  })

  it('count a code and a cancellation once when the first commit fails: the server repeats the sign-in, and the applicant the cancellation', async () => {
    const { db } = server.services
    const { id: applicationId } = bodyOf(await applicant.call('createApplication')).data
    bodyOf(
      await applicant.call('confirmData', { params: { id: applicationId }, body: toWire(firstPassport) }),
    )
    const { id } = bodyOf(await applicant.call('startMockPayment', { query: { applicationId } })).data
    // Without `sent_at` the server cancels the order without a query to the provider.
    await db.updateTable('payment').set({ sent_at: null }).where('id', '=', id).execute()
    await failFirstCommit('one_time_code')
    await failFirstCommit('payment')
    const growth = await growthBy(async () => {
      await signIn(server, { phone: '33612345677' })
      expect((await applicant.call('cancelPayment', { params: { id } })).kind).toBe('failed')
      bodyOf(await applicant.call('cancelPayment', { params: { id } }))
    })
    const lines = [
      'codes_used_total{channel="sms",dial_code="33"}',
      'payments_total{method="MOCK",outcome="canceled"}',
    ]
    expect(lines.map(growth)).toEqual([1, 1])
    server.warnings.splice(0)
  })

  it('count the runs of jobs, and those that failed', async () => {
    const { db, logger } = server.services
    const growth = await growthBy(async () => {
      await runEvery(600, { name: 'good', db, logger, run: () => Promise.resolve() }).stop()
      await runEvery(600, { name: 'bad', db, logger, run: () => Promise.reject(new Error('broken')) }).stop()
    })
    expect(growth('job_runs_total{job="good",outcome="done"}')).toBe(1)
    expect(growth('job_runs_total{job="bad",outcome="failed"}')).toBe(1)
    expect(growth('job_seconds_count{job="bad"}')).toBe(1)
    server.warnings.splice(0)
  })
})

describe('the figures of the database (D105)', () => {
  beforeAll(async () => {
    for (const _ of [1, 2]) await createPaidApplication(server, applicant)
  })

  it('show messages that wait by channel and priority, with the age of the oldest', async () => {
    await server.outbox.sendDue()
    await openBrowser(server).call('auth', { body: { msisdn: '237671111112', email: '' } })
    await sql`update outbox set created_at = now() - interval '90 seconds' where sent_at is null`.execute(
      server.services.db,
    )
    expect(await figure('outbox_waiting{channel="sms",priority="code"}')).toBe(1)
    expect(await figure('outbox_oldest_seconds{channel="sms",priority="code"}')).toBeGreaterThanOrEqual(90)
    expect(await figure('outbox_waiting{channel="email",priority="bulk"}')).toBe(0)
    await server.outbox.sendDue()
    expect(await figure('outbox_waiting{channel="sms",priority="code"}')).toBe(0)
  })

  it('show refunds that are due, and how late a job is', async () => {
    const { db } = server.services
    await claimRun(db, 'reminders', 300)
    expect(await figure('job_late_seconds{job="reminders"}')).toBe(0)
    await sql`update job set due_at = now() - interval '2 hours' where name = 'reminders'`.execute(db)
    await sql`update payment set refund_due = true where status = 'SUCCESS'`.execute(db)
    expect(await figure('refunds_due')).toBeGreaterThanOrEqual(2)
    expect(await figure('job_late_seconds{job="reminders"}')).toBeGreaterThanOrEqual(7_200)
  })

  it('show for how long the oldest refund has been due, from the moment when it became due and not from its payment', async () => {
    const { db } = server.services
    await sql`update payment set refund_due = false`.execute(db)
    expect(await figure('refund_due_oldest_seconds')).toBe(0)
    const { rows: paid } = await sql<{ id: string }>`
      update payment set refund_due = true, settled_at = now() - interval '40 days'
      where status = 'SUCCESS' returning id`.execute(db)
    expect(paid.length).toBeGreaterThan(1)
    const [older = { id: '' }] = paid
    const dueSince = async (id: string, hours: number) =>
      sql`insert into payment_event (payment_id, kind, at)
        values (${id}, 'refund-due', now() - make_interval(hours => ${hours}))`.execute(db)
    for (const { id } of paid) await dueSince(id, 1)
    await dueSince(older.id, 30)
    expect(await figure('refund_due_oldest_seconds')).toBeGreaterThanOrEqual(30 * 3_600)
    await sql`update payment set refunded_at = now() where id = ${older.id}`.execute(db)
    expect(await figure('refund_due_oldest_seconds')).toBeGreaterThanOrEqual(3_600)
    expect(await figure('refund_due_oldest_seconds')).toBeLessThan(2 * 3_600)
  })

  it('show a job that has been due for weeks only while the jobs are held after a restore: else it is a job of another release (D107)', async () => {
    const { db } = server.services
    await sql`insert into job (name, due_at) values ('old', now() - interval '20 days')`.execute(db)
    expect(await figure('job_late_seconds{job="old"}')).toBeUndefined()
    await sql`insert into job_hold default values`.execute(db)
    expect(await figure('job_late_seconds{job="old"}')).toBeGreaterThanOrEqual(20 * 86_400)
    await sql`delete from job_hold`.execute(db)
    expect(await figure('job_late_seconds{job="old"}')).toBeUndefined()
    await sql`delete from job where name = 'old'`.execute(db)
  })

  it('show a payment that only a statement knows, until it is given back (D108)', async () => {
    const officeCommand = openCliFixture(server.services)
    const order = 'PO-2026-000990-FFFFFFFF'
    const file = officeCommand.file(
      'refund.csv',
      'order,amount,currency,method,reference,phone',
      `${order},110000,XAF,CARD,CP-9,`,
    )
    const before = (await figure('refunds_due')) ?? 0
    const why = ['--reason', 'Statement of November', '--as', 'AWA'] as const
    expect((await officeCommand.run('statement', file, '--refund', order, ...why)).kind).toBe('done')
    expect(await figure('refunds_due')).toBe(before + 1)
    expect((await officeCommand.run('refunds', '--done', order)).kind).toBe('done')
    expect(await figure('refunds_due')).toBe(before)
    officeCommand.close()
  })

  it('name no applicant and no contact', async () => {
    const text = await metrics.registry.metrics()
    // Without the values: a number of bytes may contain these digits by chance.
    expect(text.replaceAll(/ \S+$/gm, '')).not.toMatch(/23767|33612|example\.cm/)
    expect(text).not.toContain(applicant.applicantId)
  })
})

describe('a scrape (D105)', () => {
  it('runs no statement: it shows the figures that `readDatabase` has read before', async () => {
    const { services, takeKinds } = recordStatementsOf(server.services)
    const watched = createMetrics(services, server.poolLoad)
    await watched.readDatabase()
    expect(takeKinds().length).toBeGreaterThan(3)
    expect(await watched.registry.metrics()).toMatch(/^outbox_waiting\{/m)
    expect(takeKinds()).toEqual([])
  })
})
