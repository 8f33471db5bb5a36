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
      return (await deleteOwn(trx, caller, id)) ?? { data: { currentState: 'DELETED' } }
    },
  }
}

/**
 * Undefined when the application is deleted, now or by an earlier call. The lock of the row decides between this call
 * and a confirmation of the data or the start of a payment at the same time.
 */
async function deleteOwn(
  trx: Transaction<Schema>,
  caller: Pick<Caller, 'applicantId'>,
  id: string,
): Promise<Refusal | undefined> {
  const state = await lockOwn(trx, caller, id)
  if (state === undefined) return refuse('not-found')
  if (state === 'DELETED') return undefined
  if (!mayDelete(state) || (await hasPayment(trx, id, undeletableStatuses))) return refuse('wrong-state')
  await deleteApplication(trx, id)
  return undefined
}

async function lockOwn(
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

/** Money may be on its way, or was taken. */
const undeletableStatuses = ['IN_PROGRESS', 'SUCCESS'] as const
