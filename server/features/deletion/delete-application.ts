import { sql, type Transaction } from 'kysely'
import type { PaymentStatus } from '#contract/payment.ts'
import type { Schema } from '#server/database/schema.ts'
import { advanceState } from '#server/features/applications/own-application.ts'
import { findHold } from '#server/features/appointments/appointment-rows.ts'
import { endAppointment } from '#server/features/appointments/end-appointments.ts'

/**
 * Changes the state to DELETED, ends the reservation, and erases the answers from the row, which stays. The caller has
 * locked the row.
 *
 * @throws when states.ts does not allow the deletion.
 */
export async function deleteApplication(trx: Transaction<Schema>, id: string): Promise<void> {
  if ((await advanceState(trx, id, 'deleted')) === undefined)
    throw new Error('The state of the application does not allow its deletion')
  const hold = await findHold(trx, id)
  if (hold !== undefined) await endAppointment(trx, hold)
  await trx
    .updateTable('application')
    .set({ data: sql`'{}'::jsonb`, additional_data: '' })
    .where('id', '=', id)
    .execute()
}

/** Whether the application has a payment with one of these statuses. The callers then do not delete the application. */
export async function hasPayment(
  trx: Transaction<Schema>,
  id: string,
  statuses: readonly PaymentStatus[],
): Promise<boolean> {
  const payment = await trx
    .selectFrom('payment')
    .select('id')
    .where('application_id', '=', id)
    .where('status', 'in', statuses)
    .executeTakeFirst()
  return payment !== undefined
}
