import { type Kysely, sql } from 'kysely'
import { isCalendarDate } from '#contract/dates.ts'
import type { Schema } from '#server/database/schema.ts'
import { type Command, done, pluralise, refused } from './command.ts'
import { writeCsv } from './csv.ts'
import { showTable } from './show-table.ts'

export const statisticsCommand: Command = {
  name: 'statistics',
  usage: 'FROM TO [--csv FILE.csv]',
  operands: [2, 2],
  summary: 'Counts applications, payments and appointments by day, office, method and state',
  help: [
    'FROM and TO are days, such as 2026-12-01; both are included. A row has one of three kinds:',
    'applications by the day of their start (UTC) and their state now, payments by the day of the order (UTC), method',
    'and outcome with the sum of the amounts (0 for WHITELIST: that money came to the old system), appointments by their',
    'own day, office and state. The general queue has no day: its appointments count on the day (UTC) on which they were',
    'confirmed. A place that was only reserved does not count. The rows name no applicant.',
  ],
  options: { csv: { type: 'string' } },
  isRecorded: false,
  async run({ trx }, { operands: [from = '', to = ''], options: { csv } }) {
    const wrong = [from, to].find(day => !isCalendarDate(day))
    if (wrong !== undefined) return refused(`"${wrong}" is not a date such as 2026-12-25.`)
    if (to < from) return refused(`${to} is before ${from}.`)
    const counts = await count(trx, from, to)
    const rows = [header, ...counts.map(each => header.map(column => each[column] ?? ''))]
    if (typeof csv !== 'string') return done(...showTable(rows))
    return { ...done(`${pluralise(counts.length, 'row')}.`), file: { path: csv, text: writeCsv(rows) } }
  },
}

const header = ['kind', 'day', 'office', 'method', 'state', 'count', 'amount', 'currency'] as const

/** A payment that is due back, or was given back, is not counted among the successful ones. */
async function count(db: Kysely<Schema>, from: string, to: string) {
  const { rows } = await sql<Partial<Record<(typeof header)[number], string>>>`
    select kind, day::text, office::text, method, state, count::text, amount::text, currency
    from (
      select 'applications' as kind, created_at::date as day, null::integer as office, null as method, state,
        count(*), null::bigint as amount, null as currency
      from application
      where created_at >= ${from}::date and created_at < ${to}::date + 1
      group by created_at::date, state
      union all
      select 'payments', created_at::date, null, method, outcome, count(*),
        sum(case method when 'WHITELIST' then 0 else amount end), currency
      from (
          select created_at, method, status, amount, currency, refund_due, refunded_at from payment
          union all
          select created_at, method, status, amount, currency, refund_due, refunded_at from past_order
        ) as orders, lateral (select case when refunded_at is not null then 'REFUNDED'
        when refund_due then 'REFUND_DUE' else status end as outcome) as judged
      where created_at >= ${from}::date and created_at < ${to}::date + 1
      group by created_at::date, method, outcome, currency
      union all
      select 'appointments', coalesce(starts_at, confirmed_at)::date, office_id,
        null, state || case when general_queue then ' (general queue)' else '' end, count(*), null, null
      from appointment
      where coalesce(starts_at, confirmed_at) >= ${from}::date and coalesce(starts_at, confirmed_at) < ${to}::date + 1
        and confirmed_at is not null
      group by 2, office_id, general_queue, state
    ) as counted
    order by kind, day, office, method, state`.execute(db)
  return rows
}
