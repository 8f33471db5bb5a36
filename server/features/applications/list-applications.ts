import type { Kysely } from 'kysely'
import type { AnswerInput } from '#contract/endpoints.ts'
import type { Schema } from '#server/database/schema.ts'

type Card = AnswerInput<'listApplications'>['data'][number]

/** All of an applicant's applications, the newest first, deleted ones too (API08). */
export async function listApplications(db: Kysely<Schema>, applicantId: string): Promise<Card[]> {
  const rows = await db
    .selectFrom('application')
    .select(['id', 'number', 'state', 'appointment_id'])
    .where('applicant_id', '=', applicantId)
    .orderBy('created_at', 'desc')
    .orderBy('number', 'desc')
    .execute()
  return rows.map(row => ({
    id: row.id,
    applicationNumber: row.number,
    currentState: row.state,
    appointment: row.appointment_id === null ? null : { id: row.appointment_id },
  }))
}
