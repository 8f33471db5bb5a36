import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Caller } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'
import { plainHash } from '#server/crypto/keyed-hash.ts'
import { liveSessionQuery } from '#server/features/session/access-token.ts'

/** Prefix of every ticket; no access token begins with it. */
const ticketPrefix = 'rt.'
/** A form sends the ticket at once; a minute is for a slow connection. */
const lifetimeSeconds = 60

/** Returns a ticket that gets the receipt of one application once. The database has its hash only. */
export async function issueTicket(
  { db }: Services,
  { sessionId }: Caller,
  applicationId: string,
): Promise<string> {
  const ticket = `${ticketPrefix}${randomBytes(24).toString('base64url')}`
  await db
    .insertInto('receipt_ticket')
    .values({
      hash: plainHash(ticket),
      session_id: sessionId,
      application_id: applicationId,
      expires_at: sql<Date>`now() + make_interval(secs => ${lifetimeSeconds})`,
    })
    .execute()
  return ticket
}

export function isTicket(text: string): boolean {
  return text.startsWith(ticketPrefix)
}

/**
 * Uses a ticket up, and returns the applicant who asked for it. Undefined when it was used before, has expired, is for
 * another application, or its session has ended.
 */
export async function useTicket(
  services: Services,
  ticket: string,
  applicationId: string,
): Promise<Pick<Caller, 'applicantId'> | undefined> {
  const used = await services.db
    .deleteFrom('receipt_ticket')
    .using('session')
    .whereRef('session.id', '=', 'receipt_ticket.session_id')
    .where('hash', '=', plainHash(ticket))
    .where('receipt_ticket.expires_at', '>', sql<Date>`now()`)
    .returning(['application_id', 'applicant_id', 'session_id'])
    .executeTakeFirst()
  if (used?.application_id !== applicationId) return undefined
  const { applicant_id: applicantId, session_id: sessionId } = used
  const live = liveSessionQuery(services, { applicantId, sessionId, msisdn: '', email: '' })
  const { rows } = await sql`${live}`.execute(services.db)
  return rows.length > 0 ? { applicantId } : undefined
}
