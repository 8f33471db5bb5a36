import type { Kysely, Transaction } from 'kysely'
import type { ApplicationState } from '#contract/states.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Caller } from '#server/http/call.ts'

export type LockedApplication = {
  id: string
  number: string
  state: ApplicationState
  changesUsed: number
}

/**
 * The caller's own application, locked: everything about its appointments happens one after another, whatever the
 * number of tabs and processes. Bookers of different applications do not meet here.
 */
export async function lockOwnApplication(
  trx: Transaction<Schema>,
  caller: Caller,
  id: string,
): Promise<LockedApplication | undefined> {
  if (!isUuid(id)) return undefined
  return trx
    .selectFrom('application')
    .select(['id', 'number', 'state', 'changes_used as changesUsed'])
    .where('id', '=', id)
    .where('applicant_id', '=', caller.applicantId)
    .forUpdate()
    .executeTakeFirst()
}

/** The application that an appointment of the caller belongs to. */
export async function findApplicationOf(
  db: Kysely<Schema>,
  caller: Caller,
  appointmentId: string,
): Promise<string | undefined> {
  if (!isUuid(appointmentId)) return undefined
  const found = await db
    .selectFrom('appointment')
    .innerJoin('application', 'application.id', 'appointment.application_id')
    .select('application.id')
    .where('appointment.id', '=', appointmentId)
    .where('application.applicant_id', '=', caller.applicantId)
    .executeTakeFirst()
  return found?.id
}

/** What is no UUID cannot be the id of a row; asking the database with it would be an error. */
export function isUuid(text: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)
}
