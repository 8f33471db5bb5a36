import type { Transaction } from 'kysely'
import type { ApplicationState } from '#contract/states.ts'
import type { Schema } from '#server/database/schema.ts'

export type LockedApplication = { id: string; state: ApplicationState }

/** Locks the application with this number. Undefined when there is none. */
export function lockApplicationByNumber(
  trx: Transaction<Schema>,
  number: string,
): Promise<LockedApplication | undefined> {
  return trx
    .selectFrom('application')
    .select(['id', 'state'])
    .where('number', '=', number)
    .forUpdate()
    .executeTakeFirst()
}

export const unknownApplicationFault = 'There is no such application.'
