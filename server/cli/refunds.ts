import { sql } from 'kysely'
import { appendEvent } from '#server/features/payments/record-outcome.ts'
import { type Command, type CommandContext, done, type Outcome, failed } from './command.ts'
import { showTable } from './show-table.ts'

export const refundsCommand: Command = {
  name: 'refunds',
  usage: '[--done ORDER]…',
  operands: [0, 0],
  summary: 'Lists the payments that must be refunded; --done records a refund',
  help: [
    'A payment is due back when it reached an application that another payment had paid already, or that',
    'had been deleted. The provider returns the money; --done only records it.',
  ],
  options: { done: { type: 'string', multiple: true } },
  async run(context, { options }) {
    const orders = Array.isArray(options['done']) ? options['done'].map(String) : []
    return orders.length > 0 ? recordRefunds(context, orders) : listRefunds(context)
  },
}

async function listRefunds({ trx }: CommandContext): Promise<Outcome> {
  const { rows } = await sql<Record<string, string>>`
    select payment.order_id as order, application.number as application, payment.method,
      payment.amount || ' ' || payment.currency as amount, payment.phone,
      coalesce(payment.provider_reference, '-') as reference,
      to_char(coalesce(payment.settled_at, payment.created_at), 'YYYY-MM-DD HH24:MI') as paid
    from payment join application on application.id = payment.application_id
    where payment.refund_due and payment.refunded_at is null order by payment.settled_at`.execute(trx)
  if (rows.length === 0) return done('No payment is due back.')
  const header = ['order', 'application', 'method', 'amount', 'phone', 'reference', 'paid']
  const lines = rows.map(row => header.map(name => row[name] ?? ''))
  return done(...showTable([header, ...lines]), '', `${rows.length} due back. Times are UTC.`)
}

async function recordRefunds({ trx }: CommandContext, orders: string[]): Promise<Outcome> {
  const faults: string[] = []
  for (const order of orders) {
    const payment = await trx
      .updateTable('payment')
      .set({ refunded_at: sql<Date>`now()` })
      .where('order_id', '=', order)
      .where('refund_due', '=', true)
      .where('refunded_at', 'is', null)
      .returning('id')
      .executeTakeFirst()
    if (payment === undefined) faults.push(`${order}: No payment of this order is due back.`)
    else await appendEvent(trx, payment.id, { kind: 'refunded', detail: {} })
  }
  return faults.length > 0 ? failed(...faults) : done(`${orders.length} noted as given back.`)
}
