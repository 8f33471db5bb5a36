import { type Kysely, sql } from 'kysely'
import { Gauge, type Registry } from 'prom-client'
import type { Services } from '#server/calls/services.ts'
import type { Schema } from '#server/database/schema.ts'
import { lanes, priorityName } from '#server/features/messages/lanes.ts'
import { readSpentNotices } from '#server/features/messages/notice-budget.ts'
import { smsBudgetOf } from '#server/features/session/code-budget.ts'
import { readSpentBudgets, readSpentEmails } from '#server/features/session/watch-code-use.ts'

/** At most this number of waiting messages of one lane is counted: the query must stay cheap when many messages wait. */
const maxCounted = 10_000

/**
 * Registers the figures that only the database knows, and returns the function that reads them. A scrape shows the last
 * reading and costs no statement, however often it comes; each statement reads few rows by an index, and at most 10,000 of
 * each lane of messages (D105). The figures are of the whole database, so those of several processes must not be added up.
 */
export function measureDatabase(services: Services, registry: Registry): () => Promise<void> {
  const readers = [measureOutbox, measurePayments, measureJobs, measureBudgets, measureNotices].map(measure =>
    measure(services, registry),
  )
  const readAt = new Gauge({
    name: 'database_figures_read_seconds',
    help: 'Unix time at which the figures of the database were read last',
    registers: [registry],
  })
  return async () => {
    for (const read of readers) await read()
    readAt.set(services.clock.now().getTime() / 1_000)
  }
}

function measureOutbox({ db }: Services, registry: Registry): () => Promise<void> {
  const labelNames = ['channel', 'priority']
  const waiting = new Gauge({
    name: 'outbox_waiting',
    help: `Messages that are not sent yet; at most ${maxCounted} of a channel and priority are counted`,
    labelNames,
    registers: [registry],
  })
  const oldest = new Gauge({
    name: 'outbox_oldest_seconds',
    help: 'Age of the oldest message that outbox_waiting counts',
    labelNames,
    registers: [registry],
  })
  return async () => {
    for (const { channel, priority, count, seconds } of await readWaiting(db)) {
      const labels = { channel, priority: priorityName(priority) }
      waiting.set(labels, count)
      oldest.set(labels, seconds)
    }
  }
}

type WaitingLane = { channel: string; priority: number; count: number; seconds: number }

async function readWaiting(db: Kysely<Schema>): Promise<WaitingLane[]> {
  const { rows } = await sql<WaitingLane>`/* not prepared (D95) */
    select lane.channel, lane.priority, count(waiting.created_at)::integer as count,
      coalesce(extract(epoch from now() - min(waiting.created_at)), 0)::double precision as seconds
    from unnest(
        ${lanes.map(({ channel }) => channel)}::text[],
        ${lanes.map(({ priority }) => priority)}::smallint[]) as lane (channel, priority)
      left join lateral (
        select created_at from outbox
        where outbox.channel = lane.channel and outbox.priority = lane.priority
          and sent_at is null and failed_at is null
        limit ${sql.lit(maxCounted)}) as waiting on true
    group by lane.channel, lane.priority`.execute(db)
  return rows
}

function measurePayments({ db }: Services, registry: Registry): () => Promise<void> {
  const refunds = new Gauge({
    name: 'refunds_due',
    help: 'Payments that must be paid back (npm run office -- refunds)',
    registers: [registry],
  })
  const oldest = new Gauge({
    name: 'refund_due_oldest_seconds',
    help: 'For how long the oldest payment of refunds_due has been due back; 0 when none is',
    registers: [registry],
  })
  const open = new Gauge({
    name: 'payments_open',
    help: 'Payments whose status the server still queries',
    registers: [registry],
  })
  return async () => {
    // The order of a deleted application has no history any more, so it counts as due since its payment.
    const { rows } = await sql<{ refunds: number; seconds: number; open: number }>`/* not prepared (D95) */
      select count(*)::integer as refunds,
        coalesce(extract(epoch from now() - min(since)), 0)::double precision as seconds,
        (select count(*)::integer from payment where ask_at is not null) as open
      from (
        select coalesce(
            (select min(at) from payment_event where payment_id = payment.id and kind = 'refund-due'),
            settled_at, created_at) as since
          from payment where refund_due and refunded_at is null
        union all
        select coalesce(settled_at, created_at) from past_order where refund_due and refunded_at is null
        union all
        select noted_at from unknown_payment where refunded_at is null) as due`.execute(db)
    refunds.set(rows[0]?.refunds ?? 0)
    oldest.set(rows[0]?.seconds ?? 0)
    open.set(rows[0]?.open ?? 0)
  }
}

function measureJobs({ db }: Services, registry: Registry): () => Promise<void> {
  const late = new Gauge({
    name: 'job_late_seconds',
    help: 'How long ago each job should have begun its next run, in whichever process',
    labelNames: ['job'],
    registers: [registry],
  })
  return async () => {
    // A job that has been due for a week belongs to another release, unless all jobs are held after a restore: then
    // the backup may be older than a week, and the hold may last longer (D107).
    const { rows } = await sql<{ name: string; seconds: number }>`
      select name, greatest(extract(epoch from now() - due_at), 0)::double precision as seconds
      from job where due_at > now() - interval '7 days' or exists (select from job_hold)`.execute(db)
    late.reset()
    for (const { name, seconds } of rows) late.set({ job: name }, seconds)
  }
}

function measureBudgets({ db, config }: Services, registry: Registry): () => Promise<void> {
  const sms = new Gauge({
    name: 'sms_budget_spent_ratio',
    help: 'Spent share of the daily budget for codes by SMS',
    labelNames: ['dial_code'],
    registers: [registry],
  })
  const email = new Gauge({
    name: 'email_budget_spent_ratio',
    help: 'Spent share of the daily budget for codes by e-mail',
    registers: [registry],
  })
  return async () => {
    const spent = await readSpentBudgets(db)
    // Since midnight a country code may have no count.
    sms.reset()
    for (const each of spent)
      sms.set({ dial_code: each.dialCode }, shareOf(each.spent, smsBudgetOf(config, each.dialCode)))
    email.set(shareOf(await readSpentEmails(db), config.emailBudget))
  }
}

/** A budget of 0 counts as 1, as in `readSpentNotices`: 0 / 0 is no number, and must raise no alert. */
function shareOf(spent: number, budget: number): number {
  return spent / Math.max(budget, 1)
}

function measureNotices(services: Services, registry: Registry): () => Promise<void> {
  const notices = new Gauge({
    name: 'notice_budget_spent_ratio',
    help: 'Spent share of the daily budgets for messages that are no codes; bulk messages wait from 0.8 on',
    labelNames: ['channel', 'dial_code'],
    registers: [registry],
  })
  return async () => {
    const spent = await readSpentNotices(services)
    // Since midnight a country code may have no count.
    notices.reset()
    for (const { channel, dialCode, share } of spent) notices.set({ channel, dial_code: dialCode }, share)
  }
}
