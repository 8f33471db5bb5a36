import type { Kysely } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import {
  type ApplicationRow,
  findOwnApplication,
  isUuid,
} from '#server/features/applications/own-application.ts'
import type { Caller } from '#server/calls/call.ts'
import { paymentColumns, type PaymentRow } from './payment-answer.ts'

export type OwnPayment = { payment: PaymentRow; application: ApplicationRow }

/** Returns a payment of one of the caller's applications. Undefined when it belongs to another applicant or is unknown. */
export async function findOwnPayment(
  db: Kysely<Schema>,
  caller: Pick<Caller, 'applicantId'>,
  id: string,
): Promise<OwnPayment | undefined> {
  if (!isUuid(id)) return undefined
  const payment = await db
    .selectFrom('payment')
    .select(paymentColumns)
    .where('id', '=', id)
    // `findOwnApplication` checks the applicant too. With the condition here as well, the payment of another applicant takes
    // the same statements as one that does not exist (D12).
    .where(
      'application_id',
      'in',
      db.selectFrom('application').select('id').where('applicant_id', '=', caller.applicantId),
    )
    .executeTakeFirst()
  const application = payment && (await findOwnApplication(db, caller, payment.application_id))
  return application && { payment, application }
}

/** Lists the payments of an application, newest first. */
export function listPaymentsOf(db: Kysely<Schema>, applicationId: string): Promise<PaymentRow[]> {
  return db
    .selectFrom('payment')
    .select(paymentColumns)
    .where('application_id', '=', applicationId)
    .orderBy('created_at', 'desc')
    .orderBy('order_id', 'desc')
    .execute()
}
