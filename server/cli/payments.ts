import { sql } from 'kysely'
import { loadSecrets } from '#server/config/secrets.ts'
import { normalisePayerPhone, decryptPhone } from '#server/features/payments/payer-phone.ts'
import { type Command, done } from './command.ts'
import { maskContact } from './mask.ts'
import { showTable } from './show-table.ts'

export const paymentsCommand: Command = {
  name: 'payments',
  usage: '[--open]',
  operands: [0, 0],
  summary: 'Lists the payments without a final answer of the provider, oldest first',
  help: [
    'The list is the same with and without --open.',
    'If a payment stays open for hours, ask its provider about the reference. The number that pays is masked.',
  ],
  options: { open: { type: 'boolean' } },
  isRecorded: true,
  async run({ trx, config }) {
    const { rows } = await sql<Record<string, string>>`
      select payment.order_id as order, application.number as application, payment.method,
        payment.amount || ' ' || payment.currency as amount, payment.phone,
        coalesce(payment.provider_reference, '-') as reference,
        to_char(payment.created_at, 'YYYY-MM-DD HH24:MI') as since,
        coalesce((select kind from payment_event where payment_id = payment.id order by id desc limit 1), '-') as last
      from payment join application on application.id = payment.application_id
      where payment.status = 'IN_PROGRESS' order by payment.created_at`.execute(trx)
    if (rows.length === 0) return done('No payment is open.')
    const header = ['order', 'application', 'method', 'amount', 'phone', 'reference', 'since', 'last']
    const keys = { secrets: await loadSecrets(trx, config) }
    const lines = rows.map(row => {
      const phone = decryptPhone(keys, { order_id: row['order'] ?? '', phone: row['phone'] ?? '' })
      return header.map(name => (name === 'phone' ? maskPhone(phone) : (row[name] ?? '')))
    })
    const shown = done(...showTable([header, ...lines]), '', `${rows.length} open. Times are UTC.`)
    return { ...shown, about: rows.map(row => row['application'] ?? '') }
  },
}

/** The operator asks the provider about the order, and does not need the whole number. */
function maskPhone(phone: string): string {
  return phone === '' ? '' : maskContact({ kind: 'phone', value: normalisePayerPhone(phone) })
}
