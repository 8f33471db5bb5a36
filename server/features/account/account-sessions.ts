import { type Kysely, sql } from 'kysely'
import type { AccountSession } from '#contract/account.ts'
import { SessionId } from '#contract/ids.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Caller } from '#server/calls/call.ts'
import { endSession } from '#server/features/session/refresh.ts'
import type { Services } from '#server/calls/services.ts'

/** Returns the open sessions (not ended, not too old, not unused for too long), the session of this call first. */
export async function listSessions(
  { db, config }: Services,
  { applicantId, sessionId }: Caller,
): Promise<AccountSession[]> {
  const rows = await db
    .selectFrom('session')
    .select(['id', 'created_at', 'last_used_at'])
    .where('applicant_id', '=', applicantId)
    .where('ended_at', 'is', null)
    .where('created_at', '>', sql<Date>`now() - make_interval(secs => ${config.sessionMaxSeconds})`)
    .where('last_used_at', '>', sql<Date>`now() - make_interval(secs => ${config.sessionIdleSeconds})`)
    .orderBy(sql`id = ${sessionId}`, 'desc')
    .orderBy('last_used_at', 'desc')
    .execute()
  return rows.map(row => ({
    id: SessionId.parse(row.id),
    isThis: row.id === sessionId,
    startedAt: row.created_at.toISOString(),
    lastUsedAt: row.last_used_at.toISOString(),
  }))
}

/**
 * Ends one of the applicant's sessions; its tokens are invalid from now on. `ended-before`: the session had ended already.
 * Undefined when the applicant has no such session.
 */
export async function endAccountSession(
  db: Kysely<Schema>,
  { applicantId }: Caller,
  id: string,
): Promise<'ended' | 'ended-before' | undefined> {
  if (await endSession(db, { applicantId, sessionId: id })) return 'ended'
  const endedSession = await db
    .selectFrom('session')
    .select('id')
    .where('id', '=', id)
    .where('applicant_id', '=', applicantId)
    .executeTakeFirst()
  return endedSession && 'ended-before'
}
