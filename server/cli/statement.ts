import * as z from 'zod/mini'
import { methodTypes, type MethodType } from '#contract/payment.ts'
import {
  attachPayment,
  recordPaymentToRefund,
  type PaidOrder,
  type RefundFault,
} from '#server/features/payments/paid-orders.ts'
import { type AttachFault } from '#server/features/payments/proven-payment-rule.ts'
import { textCell, wholeNumberCell } from './cells.ts'
import {
  type Command,
  type CommandContext,
  done,
  refused,
  type OpenedFile,
  type Outcome,
  pluralise,
} from './command.ts'
import { lockApplicationByNumber, unknownApplicationFault } from './lock-application.ts'
import { maskOperand } from './mask.ts'
import { limitFaults, readTable } from './read-table.ts'
import { compareStatement, showDifferences } from './statement-differences.ts'
import { readTypedContact } from './typed-contact.ts'

export const statementCommand: Command = {
  name: 'statement',
  usage: 'FILE.csv [--attach ORDER=NUMBER]… [--refund ORDER]…',
  operands: [1, 1],
  summary: "Compares a provider's statement with the payments here; attaches or refunds unknown payments",
  help: [
    'The file has the successful payments, with the columns order, amount, currency and method (as in "payments"), and,',
    'if the provider gives them, reference and phone. The command lists what is paid there and not here, with the open',
    'application of the payer if the phone is a contact of an account.',
    '--attach ORDER=NUMBER records the payment as that of the application NUMBER, which is waiting for one.',
    '--refund ORDER makes an unknown payment due back: see "refunds".',
    'Both need --reason, and a second run has no second effect.',
  ],
  options: { attach: { type: 'string', multiple: true }, refund: { type: 'string', multiple: true } },
  isRecorded: true,
  async run(context, { operands: [path = ''], options }) {
    const orders = readStatement(context.openFile(path))
    if ('kind' in orders) return orders
    const changes = readChanges(options, orders)
    if ('kind' in changes) return changes
    // In a refused run NUMBER may be any text, also a contact, which the record must not have in full (`maskOperand`).
    const about = changes.flatMap(({ order, number }) => [order.orderId, ...(number ? [number] : [])])
    if (changes.length > 0 && !hasReason(options['reason']))
      return { ...refused('Give the reason with --reason TEXT.'), about: about.map(maskOperand) }
    const { lines, faults } = await applyChanges(context, changes)
    // A refused run is rolled back as a whole.
    if (faults.length > 0) return { ...refused(...faults), about: about.map(maskOperand) }
    return report(context, { orders, lines, about })
  },
}

type StatementOrder = PaidOrder & { phone?: string | undefined }

function readStatement(file: OpenedFile): StatementOrder[] | Outcome {
  const table = readTable(file, columns)
  if (table.kind === 'faults') return { ...refused(...table.faults), about: [] }
  const seen = new Set<string>()
  const twice = table.rows.filter(({ values: { order } }) => seen.size === seen.add(order).size)
  if (twice.length > 0)
    return { ...refused(...limitFaults(twice.map(row => row.fault('order', twiceFault)))), about: [] }
  return table.rows.map(({ values: { order, reference = '', ...values } }) => {
    return { ...values, orderId: order, reference }
  })
}

const twiceFault =
  'Another line has this order too. If the provider took the money twice, ask it to return one payment, and delete a line.'

const notAPhoneFault = 'is not a phone number with its country code, such as +237671234567'

const columns = {
  // Order numbers have capital letters. A clerk may type small ones, with which the order would count as unknown.
  order: z.pipe(
    textCell(80),
    z.transform(text => text.toUpperCase()),
  ),
  amount: wholeNumberCell(1, 100_000_000), // whole units of the currency, as FEE_AMOUNT
  currency: z.enum(['XAF', 'EUR', 'USD'], 'is not XAF, EUR or USD'),
  method: z.enum(
    methodTypes.filter((method): method is MethodType => method !== 'WHITELIST'),
    'is not a method as "payments" shows it',
  ),
  reference: z.optional(textCell(200)),
  phone: z.optional(
    z.pipe(
      z.string().check(z.refine(text => readTypedContact(text)?.kind === 'phone', notAPhoneFault)),
      z.transform(text => readTypedContact(text)?.value ?? ''),
    ),
  ),
}

/** `number`: the application to which the payment is attached; without it the payment becomes due for a refund. */
type Change = { order: PaidOrder; number?: string }

/** Reads --attach and --refund, whose orders must be lines of the file: the statement is the proof. */
function readChanges(options: Record<string, unknown>, orders: readonly PaidOrder[]): Change[] | Outcome {
  const faults: string[] = []
  const find = (orderId: string) => orders.find(each => each.orderId === orderId.toUpperCase())
  const attached = textsOf(options['attach']).flatMap(text => {
    const [orderId = '', number = '', ...more] = text.split('=')
    const order = find(orderId)
    // A second `=` is a typing error: which of the numbers the operator means is unknown.
    if (orderId === '' || number === '' || more.length > 0)
      faults.push(`--attach ${text}: Give ORDER=NUMBER.`)
    else if (order === undefined) faults.push(`${orderId}: ${missingFault}`)
    return order === undefined ? [] : [{ order, number }]
  })
  const refunded = textsOf(options['refund']).flatMap(orderId => {
    const order = find(orderId)
    if (order === undefined) faults.push(`${orderId}: ${missingFault}`)
    return order === undefined ? [] : [{ order }]
  })
  return faults.length > 0 ? { ...refused(...faults), about: [] } : [...attached, ...refunded]
}

const missingFault = 'The file has no payment of this order.'

function textsOf(option: unknown): string[] {
  return Array.isArray(option) ? option.map(String) : []
}

function hasReason(reason: unknown): boolean {
  return typeof reason === 'string' && reason.trim() !== ''
}

async function applyChanges(
  context: CommandContext,
  changes: readonly Change[],
): Promise<{ lines: string[]; faults: string[] }> {
  const lines: string[] = []
  const faults: string[] = []
  for (const { order, number } of changes) {
    const result =
      number === undefined ? await refund(context, order) : await attach(context, { order, number })
    if (result.kind === 'fault') faults.push(`${order.orderId}: ${result.text}`)
    else lines.push(`${order.orderId}: ${result.text}`)
  }
  return { lines, faults }
}

type Result = { kind: 'done' | 'fault'; text: string }

async function attach(
  { trx, config }: CommandContext,
  { order, number }: { order: PaidOrder; number: string },
): Promise<Result> {
  const application = await lockApplicationByNumber(trx, number)
  if (application === undefined) return { kind: 'fault', text: `${number}: ${unknownApplicationFault}` }
  const fee = { amount: config.feeAmount, currency: config.feeCurrency }
  const result = await attachPayment(trx, { order, application, fee })
  if (result.kind === 'attached')
    return {
      kind: 'done',
      text: `attached to ${number}${result.isDueBack ? ', which needs no payment: due back' : ''}.`,
    }
  if (result.kind === 'already') return { kind: 'done', text: `was attached to ${number} already.` }
  return { kind: 'fault', text: attachFaults[result.why] }
}

async function refund({ trx }: CommandContext, order: PaidOrder): Promise<Result> {
  const result = await recordPaymentToRefund(trx, order)
  if (result.kind === 'recorded') return { kind: 'done', text: 'recorded as due back: see "refunds".' }
  if (result.kind === 'already')
    return { kind: 'done', text: 'is due back, or was given back already: see "refunds".' }
  return { kind: 'fault', text: refundFaults[result.why] }
}

const attachFaults = {
  'of-another-application': 'It belongs to another application.',
  'other-amount':
    'Its amount or currency is not that of the order or the fee. Give it back with --refund, or ask the provider.',
  'due-back': 'It is due back, or was given back already: see "refunds".',
  'not-confirmed':
    'The applicant has not confirmed the data. Attach it afterwards, or give it back with --refund.',
  'not-payable': 'The application waits for no payment. Give it back with --refund.',
} as const satisfies Record<AttachFault, string>

const refundFaults = {
  known:
    'It is known here. Attach it to its application; a second payment of an application becomes due back by itself.',
} as const satisfies Record<RefundFault, string>

type StatementReport = {
  orders: readonly StatementOrder[]
  lines: readonly string[]
  about: readonly string[]
}

/**
 * Shows the differences that remain. The record names their orders and applications, because the operator has seen
 * them. In a file with a wrong column an order may be a contact or a name, which the record must not have in full.
 */
async function report({ trx }: CommandContext, { orders, lines, about }: StatementReport): Promise<Outcome> {
  const { same, differences } = await compareStatement(trx, orders)
  const shown = done(
    ...lines,
    ...showDifferences(differences),
    `${pluralise(orders.length, 'payment')} in the statement: ${same} as here, ${differences.length} not.`,
  )
  const seen = differences.flatMap(({ order, application }) => [order.orderId, ...application])
  return { ...shown, about: [...new Set([...about, ...seen].map(maskOperand))] }
}
