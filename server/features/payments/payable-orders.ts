import type { Kysely } from 'kysely'
import { statesBefore } from '#contract/states.ts'
import type { Schema } from '#server/database/schema.ts'

/** The ids of the applications that wait for a payment. Once another order has paid, an open order must take no money (D42). */
export function unpaidApplications(db: Kysely<Schema>) {
  return db.selectFrom('application').select('id').where('state', 'in', statesBefore('payment-succeeded'))
}

/** The ids of the orders that a payer may still pay: they are open, and their applications wait for a payment. */
export function payableOrders(db: Kysely<Schema>) {
  return db
    .selectFrom('payment')
    .select('id')
    .where('status', '=', 'IN_PROGRESS')
    .where('application_id', 'in', unpaidApplications(db))
}

/** Whether `payableOrders` has this order. */
export async function isPayable(db: Kysely<Schema>, id: string): Promise<boolean> {
  return (await payableOrders(db).where('id', '=', id).executeTakeFirst()) !== undefined
}
