import { sql } from 'kysely'
import { Gauge, type Registry } from 'prom-client'
import { smsBudgetOf } from '#server/features/session/code-budget.ts'
import { readCodeUse, readSpentBudgets, readSpentEmails } from '#server/features/session/watch-code-use.ts'
import type { Services } from '#server/calls/services.ts'

/**
 * Registers metrics about the delivery and cost of messages. They come from the database, so each process shows all.
 */
export function measureMessages(services: Services, registry: Registry): void {
  measureStates(services, registry)
  measureLag(services, registry)
  measureCodes(services, registry)
  measureHold(services, registry)
}

/** A hold that is forgotten would stop reminders, refunds and deletions without an error (D107). */
function measureHold({ db }: Services, registry: Registry): void {
  const held = new Gauge({
    name: 'jobs_held',
    help: '1 while the jobs are held after a restore, otherwise 0',
    registers: [registry],
    async collect() {
      const hold = await db.selectFrom('job_hold').select('id').executeTakeFirst()
      held.set(hold === undefined ? 0 : 1)
    },
  })
}

function measureStates({ db }: Services, registry: Registry): void {
  const messages = new Gauge({
    name: 'messages_of_the_day',
    help: 'Messages of the last 24 hours by state; gateways report delivered and undelivered',
    labelNames: ['channel', 'state'],
    registers: [registry],
    async collect() {
      messages.reset()
      const rows = await sql<{ channel: string; state: string; count: number }>`
        select channel, count(*)::integer as count, case
          when delivery in ('delivered', 'undelivered') then delivery
          when sent_at is not null then 'sent'
          when failed_at is not null then 'failed'
          else 'waiting' end as state
        from outbox where created_at > now() - interval '1 day' and recipient <> ''
        group by channel, state`.execute(db)
      for (const { channel, state, count } of rows.rows) messages.set({ channel, state }, count)
    },
  })
}

function measureLag({ db }: Services, registry: Registry): void {
  const lag = new Gauge({
    name: 'message_lag_seconds',
    help: 'Seconds in the last hour: step taken, from the cause until a gateway accepted the message; step delivered, from then until delivery',
    labelNames: ['channel', 'step', 'quantile'],
    registers: [registry],
    async collect() {
      lag.reset()
      const rows = await sql<{ channel: string; step: string; median: number; p95: number }>`
        select channel, step,
          percentile_cont(0.5) within group (order by seconds) as median,
          percentile_cont(0.95) within group (order by seconds) as p95
        from (
          select channel, 'taken' as step, extract(epoch from sent_at - created_at)::double precision as seconds
          from outbox where created_at > now() - interval '1 hour' and sent_at is not null
          union all
          select channel, 'delivered', extract(epoch from reported_at - sent_at)::double precision
          from outbox where created_at > now() - interval '1 hour' and delivery = 'delivered') as lags
        group by channel, step`.execute(db)
      for (const { channel, step, median, p95 } of rows.rows) {
        lag.set({ channel, step, quantile: '0.5' }, median)
        lag.set({ channel, step, quantile: '0.95' }, p95)
      }
    },
  })
}

function measureCodes({ db, config }: Services, registry: Registry): void {
  const codes = new Gauge({
    name: 'sms_codes_of_the_hour',
    help: 'Codes by SMS of the last hour without the last 15 minutes: how many were sent and how many were used',
    labelNames: ['dial_code', 'what'],
    registers: [registry],
    async collect() {
      codes.reset()
      for (const { dialCode, sent, used } of await readCodeUse(db)) {
        codes.set({ dial_code: dialCode, what: 'sent' }, sent)
        codes.set({ dial_code: dialCode, what: 'used' }, used)
      }
    },
  })
  const spent = new Gauge({
    name: 'sms_budget_spent_ratio',
    help: 'Spent share of the daily budget for codes by SMS',
    labelNames: ['dial_code'],
    registers: [registry],
    async collect() {
      spent.reset()
      for (const each of await readSpentBudgets(db))
        spent.set({ dial_code: each.dialCode }, each.spent / smsBudgetOf(config, each.dialCode))
    },
  })
  const spentByEmail = new Gauge({
    name: 'email_budget_spent_ratio',
    help: 'Spent share of the daily budget for codes by e-mail',
    registers: [registry],
    async collect() {
      spentByEmail.set((await readSpentEmails(db)) / config.emailBudget)
    },
  })
}
