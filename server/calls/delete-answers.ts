import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'

/** Deletes the stored answers that contain this appointment id: the same request is then run again. */
export async function deleteAnswers(
  db: Kysely<Schema>,
  { applicantId, id }: { applicantId: string; id: string },
): Promise<void> {
  await sql`
    delete from idempotency
    where scope in (${`${applicantId} createAppointment`}, ${`${applicantId} updateAppointment`})
      and answer->'data'->>'id' = ${id}`.execute(db)
}
