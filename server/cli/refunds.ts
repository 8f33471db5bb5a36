import { sql, type Transaction } from 'kysely'
import { loadSecrets } from '#server/config/secrets.ts'
import type { Schema } from '#server/database/schema.ts'
import { decryptPhone } from '#server/features/payments/payer-phone.ts'
import { appendEvent } from '#server/features/payments/record-outcome.ts'
import { type Command, type CommandContext, done, type Outcome, pluralise, refused } from './command.ts'
import { dueRefunds } from './due-refunds.ts'
import { lockApplicationByNumber, unknownApplicationFault } from './lock-application.ts'
import { maskOperand } from './mask.ts'
import { showTable } from './show-table.ts'

export const refundsCommand: Command = {
  name: 'refunds',
  usage: '[--done ORDER]… | --refused NUMBER',
  operands: [0, 0],
  summary: 'Lists the payments to refund; --done records a refund, --refused adds one',
  help: [
    'A payment is due back when it reached an application that another payment had paid already, or that',
    'had been deleted, or when it is only in a statement: see "statement". An order without an application may',
    'be of a deleted one. The provider returns the money; --done only records it.',
    '--refused NUMBER makes the payment of an application in the state FAILED due back; it needs --reason.',
  ],
  options: { done: { type: 'string', multiple: true }, refused: { type: 'string' } },
  isRecorded: true,
  async run(context, { options }) {
    const { refused: refusedNumber, reason } = options
    if (typeof refusedNumber === 'string') {
      if (options['done'] !== undefined) return refused('Give --done or --refused, not both.')
      if (typeof reason !== 'string' || reason.trim() === '')
        return refused('Give the reason with --reason TEXT.')
      return recordAbout([refusedNumber], await refundRefusedApplication(context, refusedNumber))
    }
    const orders = Array.isArray(options['done']) ? options['done'].map(String) : []
    return orders.length > 0
      ? recordAbout(orders, await recordRefunds(context, orders))
      : listRefunds(context)
  },
}

/** A refusal reveals the state of what the operator asked about, so its record names this. */
function recordAbout(about: readonly string[], outcome: Outcome): Outcome {
  return outcome.kind === 'refused' ? { ...outcome, about: about.map(maskOperand) } : outcome
}

async function listRefunds({ trx, config }: CommandContext): Promise<Outcome> {
  const { rows } = await sql<Record<string, string>>`
    select order_id as order, application, method, amount, phone, reference,
      to_char(paid_at, 'YYYY-MM-DD HH24:MI') as paid
    from ${dueRefunds} as due
    order by paid`.execute(trx)
  if (rows.length === 0) return done('No payment is due back.')
  const header = ['order', 'application', 'method', 'amount', 'phone', 'reference', 'paid']
  const keys = { secrets: await loadSecrets(trx, config) }
  const lines = rows.map(row => {
    const phone = decryptPhone(keys, { order_id: row['order'] ?? '', phone: row['phone'] ?? '' })
    return header.map(name => (name === 'phone' ? phone : (row[name] ?? '')))
  })
  const shown = done(...showTable([header, ...lines]), '', `${rows.length} due back. Times are UTC.`)
  return {
    ...shown,
    about: rows.map(row => (row['application'] === '-' ? row['order'] : row['application']) ?? ''),
  }
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
    if (payment !== undefined) await appendEvent(trx, payment.id, { kind: 'refunded', detail: {} })
    else if (!(await recordPastRefund(trx, order)) && !(await refundUnknown(trx, order)))
      faults.push(`${order}: No payment of this order is due back.`)
  }
  // A refused run is rolled back as a whole.
  if (faults.length > 0) return refused(...faults)
  return { ...done(`${pluralise(orders.length, 'payment')} recorded as refunded.`), about: orders }
}

/** Records the refund of an order whose application is erased, and deletes what was kept for the refund (D112). */
async function recordPastRefund(trx: Transaction<Schema>, order: string): Promise<boolean> {
  const recorded = await trx
    .updateTable('past_order')
    .set({
      refunded_at: sql<Date>`now()`,
      provider_reference: null,
      operator_reference: null,
      channel: null,
      phone: null,
    })
    .where('order_id', '=', order)
    .where('refund_due', '=', true)
    .where('refunded_at', 'is', null)
    .returning('order_id')
    .executeTakeFirst()
  return recorded !== undefined
}

/** Records the refund of a payment that only a provider's statement knows (D108). */
async function refundUnknown(trx: CommandContext['trx'], order: string): Promise<boolean> {
  const refunded = await trx
    .updateTable('unknown_payment')
    .set({ refunded_at: sql<Date>`now()` })
    .where('order_id', '=', order)
    .where('refunded_at', 'is', null)
    .returning('order_id')
    .executeTakeFirst()
  return refunded !== undefined
}

/** Makes the payment of an application that the authority refused due back. A whitelist entry cost nothing here. */
async function refundRefusedApplication({ trx }: CommandContext, number: string): Promise<Outcome> {
  const application = await lockApplicationByNumber(trx, number)
  if (application === undefined) return refused(`${number}: ${unknownApplicationFault}`)
  if (application.state !== 'FAILED')
    return refused(
      `${number}: It is ${application.state}. Only the payment of a FAILED application is refunded.`,
    )
  const payments = await trx
    .updateTable('payment')
    .set({ refund_due: true })
    .where('application_id', '=', application.id)
    .where('status', '=', 'SUCCESS')
    .where('method', '<>', 'WHITELIST')
    .where('refund_due', '=', false)
    .returning(['id', 'order_id'])
    .execute()
  if (payments.length === 0) return refused(`${number}: It has no payment that is not due back already.`)
  for (const { id } of payments)
    await appendEvent(trx, id, { kind: 'refund-due', detail: { reason: 'application-refused' } })
  const orders = payments.map(({ order_id: order }) => order)
  return { ...done(`${number}: due back: ${orders.join(', ')}.`), about: [number, ...orders] }
}
