import type { Transaction } from 'kysely'
import type { ApplicationState } from '#contract/states.ts'
import { mayDelete } from '#contract/states.ts'
import { type Caller, type Handlers, refuse, type Refusal } from '#server/calls/call.ts'
import type { Schema } from '#server/database/schema.ts'
import { isUuid } from '#server/features/applications/own-application.ts'
import { deleteApplication, hasPayment } from './delete-application.ts'

/** The applicant deletes an application that was begun by mistake (LST10). */
export function deletionHandlers(): Pick<Handlers, 'deleteApplication'> {
  return {
    async deleteApplication({ trx, caller, params: { id } }) {
      if (!isUuid(id)) return refuse('not-found')
      return (await deleteOwnApplication(trx, caller, id)) ?? { data: { currentState: 'DELETED' } }
    },
  }
}

/**
 * Deletes an application of the caller. Returns undefined when it is deleted, by this call or by an earlier one. The
 * lock of the row makes a confirmation of the data or the start of a payment at the same time wait, or this call waits
 * for them.
 */
async function deleteOwnApplication(
  trx: Transaction<Schema>,
  caller: Pick<Caller, 'applicantId'>,
  id: string,
): Promise<Refusal | undefined> {
  const state = await lockOwnApplication(trx, caller, id)
  if (state === undefined) return refuse('not-found')
  if (state === 'DELETED') return undefined
  if (!mayDelete(state) || (await hasPayment(trx, id, undeletableStatuses))) return refuse('wrong-state')
  await deleteApplication(trx, id)
  return undefined
}

async function lockOwnApplication(
  trx: Transaction<Schema>,
  { applicantId }: Pick<Caller, 'applicantId'>,
  id: string,
): Promise<ApplicationState | undefined> {
  const row = await trx
    .selectFrom('application')
    .select('state')
    .where('id', '=', id)
    .where('applicant_id', '=', applicantId)
    .forUpdate()
    .executeTakeFirst()
  return row?.state
}

/** With these payment statuses the provider may still take money, or has taken it. */
const undeletableStatuses = ['IN_PROGRESS', 'SUCCESS'] as const
