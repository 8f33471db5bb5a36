import { randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import type { Caller } from '#server/http/call.ts'
import type { Services } from '#server/services.ts'
import { keyedHash, plainHash } from './keyed-hash.ts'

/**
 * A session is a family of refresh tokens, each used once. The successor of a token is derived from it with a key of
 * the server, so that two tabs which refresh with the same token get the same successor, though only hashes are kept.
 */

/** Seconds in which the token before the present one is still honoured (D22). */
const graceSeconds = 10

export type OpenSession = { caller: Caller; refreshToken: string }

export async function openSession(
  trx: Kysely<Schema>,
  services: Services,
  person: { applicantId: string; msisdn: string; email: string },
): Promise<OpenSession> {
  const { applicantId, msisdn, email } = person
  const { id } = await trx
    .insertInto('session')
    .values({ applicant_id: applicantId, msisdn, email })
    .returning('id')
    .executeTakeFirstOrThrow()
  const refreshToken = randomBytes(32).toString('base64url')
  await keepToken(trx, services, { token: refreshToken, sessionId: id })
  return { caller: { applicantId, sessionId: id, msisdn, email }, refreshToken }
}

/** The session goes on under the next token; undefined when this one is worth nothing (any more). */
export async function rotate(services: Services, token: string): Promise<OpenSession | undefined> {
  const successor = keyedHash(services.secrets.tokenKey, 'refresh successor', token)
  const sessionId = await services.db.transaction().execute(async trx => {
    const replaced = await replaceToken(trx, { token, successor })
    if (replaced !== undefined) await keepToken(trx, services, { token: successor, sessionId: replaced })
    return replaced ?? (await honourOrEnd(trx, token))
  })
  const caller = sessionId === undefined ? undefined : await readLiveSession(services, sessionId)
  return caller && { caller, refreshToken: successor }
}

/** Ends the session that a token, new or old, belongs to: its access tokens die with it. */
export async function endSessionOf(db: Kysely<Schema>, token: string): Promise<void> {
  await db
    .updateTable('session')
    .set({ ended_at: sql<Date>`now()` })
    .where('ended_at', 'is', null)
    .where('id', 'in', find =>
      find.selectFrom('refresh_token').select('session_id').where('hash', '=', plainHash(token)),
    )
    .execute()
}

async function replaceToken(
  trx: Kysely<Schema>,
  { token, successor }: { token: string; successor: string },
): Promise<string | undefined> {
  const replaced = await trx
    .updateTable('refresh_token')
    .set({ replaced_at: sql<Date>`now()`, successor: plainHash(successor) })
    .where('hash', '=', plainHash(token))
    .where('replaced_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .returning('session_id')
    .executeTakeFirst()
  return replaced?.session_id
}

/**
 * A token that was replaced already: a second tab, if that was just now and its successor is the present one. Else
 * somebody has an old token, and nobody can tell who of the two is the applicant: the session ends.
 */
async function honourOrEnd(trx: Kysely<Schema>, token: string): Promise<string | undefined> {
  const old = await trx
    .selectFrom('refresh_token as old')
    .leftJoin('refresh_token as next', 'next.hash', 'old.successor')
    .select([
      'old.session_id',
      sql<boolean>`next.replaced_at is null
        and old.replaced_at > now() - make_interval(secs => ${graceSeconds})`.as('honoured'),
    ])
    .where('old.hash', '=', plainHash(token))
    .where('old.replaced_at', 'is not', null)
    .executeTakeFirst()
  if (!old) return undefined
  if (old.honoured) return old.session_id
  await endSessionOf(trx, token)
  return undefined
}

async function keepToken(
  trx: Kysely<Schema>,
  { config }: Services,
  { token, sessionId }: { token: string; sessionId: string },
): Promise<void> {
  await trx
    .insertInto('refresh_token')
    .values({
      hash: plainHash(token),
      session_id: sessionId,
      expires_at: sql<Date>`now() + make_interval(secs => ${config.sessionIdleSeconds})`,
    })
    .execute()
}

async function readLiveSession({ db, config }: Services, sessionId: string): Promise<Caller | undefined> {
  const session = await db
    .updateTable('session')
    .set({ last_used_at: sql<Date>`now()` })
    .where('id', '=', sessionId)
    .where('ended_at', 'is', null)
    .where('created_at', '>', sql<Date>`now() - make_interval(secs => ${config.sessionMaxSeconds})`)
    .returning(['applicant_id', 'msisdn', 'email'])
    .executeTakeFirst()
  if (!session) return undefined
  return { applicantId: session.applicant_id, sessionId, msisdn: session.msisdn, email: session.email }
}
