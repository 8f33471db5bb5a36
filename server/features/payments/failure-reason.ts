import type { Kysely } from 'kysely'
import { type FailureReason, failureReasons } from '#contract/payment-failure.ts'
import type { Schema } from '#server/database/schema.ts'
import type { PaymentRow } from './payment-answer.ts'

type Event = { kind: string; detail: Record<string, unknown> }

/**
 * What the reasons of the server, and the problems of a refused start, mean to the payer. `left`: the payer has left
 * the card form for another method. `missing`: the provider does not know the order, or the payer has not sent its card
 * form. When a provider reports why an order failed, the event names the meaning itself (`failure`).
 */
const failureByReason: Partial<Record<string, FailureReason>> = {
  canceled: 'canceled',
  left: 'canceled',
  'given-up': 'no-answer',
  missing: 'no-answer',
  unsent: 'operator-down',
  'no-form': 'operator-down',
  unavailable: 'operator-down',
  'payment-code-wrong': 'wrong-code',
  'payment-code-expired': 'expired',
}

/**
 * Returns what the history of a payment keeps of a provider's reason: a code, such as `NOT_ENOUGH_FUNDS` or `703201`. Any other
 * text can have the name or the phone number of the payer, and the history is not encrypted (D71).
 */
export function storableReason(reason: string): string {
  return /^(?:[A-Z][A-Z_]{0,39}|\d{1,6})$/.test(reason) ? reason : 'other'
}

/** Returns why a payment failed, by the last ERROR of its events, which are sorted by time; undefined when there is none. */
export function failureOf(events: readonly Event[]): FailureReason | undefined {
  const last = events.findLast(({ kind }) => kind === 'ERROR')
  if (!last) return undefined
  const { reason, failure } = last.detail
  return (
    failureReasons.find(known => known === failure) ??
    (typeof reason === 'string' ? failureByReason[reason] : undefined) ??
    'unknown'
  )
}

/** Returns why a payment failed; undefined when it has not failed, or when its history has no ERROR. */
export async function readFailure(
  db: Kysely<Schema>,
  { id, status }: PaymentRow,
): Promise<FailureReason | undefined> {
  if (status !== 'ERROR') return undefined
  const events = await db
    .selectFrom('payment_event')
    .select(['kind', 'detail'])
    .where('payment_id', '=', id)
    .where('kind', '=', 'ERROR')
    .orderBy('id')
    .execute()
  return failureOf(events)
}
