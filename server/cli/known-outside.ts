import { sql, type Transaction } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import { countWaiting } from '#server/features/messages/failed-messages.ts'
import { pluralise } from './command.ts'
import { dueRefunds } from './due-refunds.ts'
import { showTable } from './show-table.ts'

type KnownOutside = { lines: string[]; about: string[] }

/**
 * Lists what payment providers and message gateways may know and a restored database does not: the outcome of open
 * orders and of failed ones that are still queried, refunds, messages that were sent since the backup, and everything
 * after the newest change (D107).
 */
export async function listKnownOutside(trx: Transaction<Schema>): Promise<KnownOutside> {
  const payments = await listPayments(trx)
  const messages = await countWaiting(trx)
  const rows = messages.map(each => [each.channel, each.kind, String(each.count)])
  return {
    lines: [
      ...newestChangeLines(await newestChange(trx)),
      '',
      ...(payments.length === 0 ? ['No payment is open or due back.'] : paymentLines(payments)),
      '',
      ...(rows.length === 0
        ? ['No message waits.']
        : [
            'These messages wait. Gateways may have sent them since the backup: "release-jobs --without-messages" does not send them.',
            ...showTable([['channel', 'kind', 'waiting'], ...rows]),
          ]),
    ],
    about: payments.map(({ application, order }) => (application === '-' ? order : application)),
  }
}

/**
 * `application`: its number; `-` when it is erased, or only a statement knows the order. `here`: the status in this
 * database.
 */
type UncertainPayment = { order: string; application: string; method: string; amount: string; here: string }

async function listPayments(trx: Transaction<Schema>): Promise<UncertainPayment[]> {
  const { rows } = await sql<UncertainPayment>`
    select payment.order_id as order, application.number as application, payment.method,
      payment.amount || ' ' || payment.currency as amount,
      case when payment.status = 'IN_PROGRESS' then 'open' else 'failed' end as here, payment.created_at as since
    from payment join application on application.id = payment.application_id
    where (payment.status = 'IN_PROGRESS' or (payment.status = 'ERROR' and payment.ask_at is not null))
      and not (payment.refund_due and payment.refunded_at is null)
    union all
    select order_id, application, method, amount, 'due back', created_at from ${dueRefunds} as due
    order by since`.execute(trx)
  return rows
}

function paymentLines(payments: readonly UncertainPayment[]): string[] {
  const cells = payments.map(each => [each.order, each.application, each.method, each.amount, each.here])
  return [
    'Providers may have an outcome for these orders. The servers query those that are open or failed once the jobs are released;',
    'look up those that are due back before you pay them back, because this may have been done since the backup.',
    ...showTable([['order', 'application', 'method', 'amount', 'here'], ...cells]),
    `${pluralise(payments.length, 'order')}.`,
  ]
}

function newestChangeLines(newest: string | undefined): string[] {
  if (newest === undefined)
    return [
      'This database has no application, no payment and no message: compare it with the backup that you wanted. If the service had',
      'payments, each provider knows them: get its statement and run "npm run office -- statement FILE.csv".',
    ]
  return [
    `The newest change in this database is of ${newest} UTC. Each provider knows the payments since`,
    'then: get its statement and run "npm run office -- statement FILE.csv".',
  ]
}

/**
 * Leaves out the messages that were stored since the hold, because they are not of the backup. Undefined when there is no
 * change, as in a new database.
 */
async function newestChange(trx: Transaction<Schema>): Promise<string | undefined> {
  const { rows } = await sql<{ newest: string | null }>`
    select to_char(greatest(
      (select max(updated_at) from application), (select max(at) from payment_event),
      (select max(created_at) from outbox where created_at < coalesce((select held_at from job_hold), 'infinity')))
      at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') as newest`.execute(trx)
  return rows[0]?.newest ?? undefined
}
