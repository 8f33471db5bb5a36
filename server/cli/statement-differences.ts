import { sql, type Transaction } from 'kysely'
import type { PaymentStatus } from '#contract/payment.ts'
import { storedContacts } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import type { PaidOrder } from '#server/features/payments/paid-orders.ts'
import { showTable } from './show-table.ts'

type StatementOrder = PaidOrder & { phone?: string | undefined }

/**
 * `here`: how the database differs, in words. `application`: the number of the order's application, else the numbers of the
 * open applications of the payer's phone.
 */
export type Difference = { order: StatementOrder; here: string; application: string[] }

type Found = {
  order_id: string
  status: PaymentStatus | null
  amount: number | null
  currency: string | null
  number: string | null
  is_unknown_payment: boolean
  is_refunded: boolean
}

/**
 * Compares the payments of a statement with the database. `same`: how many need nothing: the database has a success with the
 * same amount, or has this amount as an unknown payment that was refunded.
 */
export async function compareStatement(
  trx: Transaction<Schema>,
  orders: readonly StatementOrder[],
): Promise<{ same: number; differences: Difference[] }> {
  const found = new Map((await findAll(trx, orders)).map(row => [row.order_id, row]))
  const openOf = await findOpenOfPayers(trx, orders)
  const differences = orders.flatMap(order => {
    const row = found.get(order.orderId)
    const here = row && describe(order, row)
    if (row === undefined || here === undefined) return []
    return {
      order,
      here,
      application: row.number === null ? (openOf.get(order.phone ?? '') ?? []) : [row.number],
    }
  })
  return { same: orders.length - differences.length, differences }
}

async function findAll(trx: Transaction<Schema>, orders: readonly StatementOrder[]): Promise<Found[]> {
  const { rows } = await sql<Found>`
    select given.order_id, coalesce(payment.status, past_order.status) as status,
      coalesce(unknown_payment.amount, payment.amount, past_order.amount) as amount,
      coalesce(unknown_payment.currency, payment.currency, past_order.currency) as currency, application.number,
      unknown_payment.order_id is not null as is_unknown_payment, unknown_payment.refunded_at is not null as is_refunded
    from unnest(${orders.map(({ orderId }) => orderId)}::text[]) as given (order_id)
      left join payment using (order_id)
      left join past_order using (order_id)
      left join application on application.id = payment.application_id
      left join unknown_payment using (order_id)`.execute(trx)
  return rows
}

/**
 * Returns the numbers of the open applications of each payer's phone. Groups them by the decrypted phone, because
 * contacts are stored under several keys while `DATA_KEY` changes (D71).
 */
async function findOpenOfPayers(
  trx: Transaction<Schema>,
  orders: readonly StatementOrder[],
): Promise<Map<string, string[]>> {
  const phones = orders.flatMap(({ phone }) => (phone === undefined ? [] : [phone]))
  const { rows } = await sql<{ phone: string; number: string }>`
    select contact.value as phone, application.number from contact join application using (applicant_id)
    where contact.kind = 'phone' and contact.value = any (${storedContacts(...phones)})
      and application.state in ('NEW', 'DATA_SAVED')
    order by application.number`.execute(trx)
  const numbers = new Map<string, string[]>()
  for (const { phone, number } of rows) numbers.set(phone, [...(numbers.get(phone) ?? []), number])
  return numbers
}

/**
 * Says how the database differs. Undefined when it has a success with the same amount, or an unknown payment of this amount
 * that was refunded.
 */
function describe(order: StatementOrder, row: Found): string | undefined {
  if (row.status === null && !row.is_unknown_payment) return 'unknown'
  const isDueBack = row.is_unknown_payment && !row.is_refunded
  if (row.amount !== order.amount || row.currency !== order.currency)
    return `${isDueBack ? 'due back, ' : ''}other amount: ${row.amount} ${row.currency}`
  if (isDueBack) return 'unknown, due back'
  if (row.is_refunded) return undefined
  if (row.status === 'SUCCESS') return undefined
  return row.status === 'IN_PROGRESS' ? 'open' : 'failed'
}

export function showDifferences(differences: readonly Difference[]): string[] {
  if (differences.length === 0) return []
  const rows = differences.map(({ order, here, application }) => [
    order.orderId,
    order.method,
    `${order.amount} ${order.currency}`,
    order.reference || '-',
    here,
    application.join(' ') || '-',
  ])
  return ['Paid there, and not here:', ...showTable([header, ...rows]), '']
}

const header = ['order', 'method', 'amount', 'reference', 'here', 'application']
