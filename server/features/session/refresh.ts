import { randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { contactValue } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import type { Caller } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'
import { keyedHash, plainHash } from '#server/crypto/keyed-hash.ts'
import { recordEvent } from './security-events.ts'

/**
 * A session is a family of refresh tokens: a refresh replaces the token by its successor. The server derives the
 * successor with its own key. So two tabs that refresh with the same token at once get the same successor, although the
 * database stores only hashes.
 */

/**
 * For this time a replaced token gets the same successor again, while that successor is unused, because two tabs may
 * refresh at once (D22).
 */
const graceSeconds = 10

type TokenUse = { token: string; address: string }
export type OpenSession = { caller: Caller; refreshToken: string }

/** Opens a session with its first refresh token. */
export async function openSession(
  trx: Kysely<Schema>,
  services: Services,
  person: Omit<Caller, 'sessionId'>,
): Promise<OpenSession> {
  const { applicantId, msisdn, email, deletesAt } = person
  const { id } = await trx
    .insertInto('session')
    .values({
      applicant_id: applicantId,
      msisdn: contactValue(msisdn),
      email: contactValue(email),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const refreshToken = randomBytes(32).toString('base64url')
  await storeToken(trx, services, { token: refreshToken, sessionId: id })
  return { caller: { applicantId, sessionId: id, msisdn, email, deletesAt }, refreshToken }
}

/**
 * How often a sign-in whose answer was lost may be repeated. An applicant may try three times, and the browser sends
 * each request again when the connection breaks. The first of these six requests is no repetition (D21).
 */
export const maxRepeats = 5

/**
 * Gives a session whose sign-in response was lost a new first refresh token, at most `maxRepeats` times. Undefined when
 * the session ended, was refreshed, was used by a call, or began more than `withinSeconds` ago. The lost tokens have no
 * successor, so a client that presents one of them ends the session.
 */
export async function reopenSession(
  services: Services,
  { openedTokenHash, withinSeconds }: { openedTokenHash: string; withinSeconds: number },
): Promise<OpenSession | undefined> {
  return services.db.transaction().execute(async trx => {
    // With this lock, repetitions at the same time wait for each other.
    const opened = await trx
      .selectFrom('refresh_token')
      .select('session_id')
      .where('hash', '=', openedTokenHash)
      .forUpdate()
      .executeTakeFirst()
    if (!opened || !(await mayRepeat(trx, opened.session_id))) return undefined
    const caller = await claimUnusedSession(trx, { id: opened.session_id, withinSeconds })
    if (!caller) return undefined
    await trx
      .updateTable('refresh_token')
      .set({ replaced_at: sql<Date>`now()` })
      .where('session_id', '=', caller.sessionId)
      .where('replaced_at', 'is', null)
      .execute()
    const refreshToken = randomBytes(32).toString('base64url')
    await storeToken(trx, services, { token: refreshToken, sessionId: caller.sessionId })
    return { caller, refreshToken }
  })
}

/** Each repetition has replaced one token without a successor; a refresh leaves a successor. */
async function mayRepeat(trx: Kysely<Schema>, sessionId: string): Promise<boolean> {
  const tokens = await trx
    .selectFrom('refresh_token')
    .select(['replaced_at', 'successor'])
    .where('session_id', '=', sessionId)
    // A refresh at the same time is finished or waits.
    .forUpdate()
    .execute()
  const replaced = tokens.filter(token => token.replaced_at !== null)
  return replaced.length < maxRepeats && replaced.every(token => token.successor === null)
}

/** Undefined when the session has ended, was used by a call, or began more than `withinSeconds` ago. */
async function claimUnusedSession(
  trx: Kysely<Schema>,
  { id, withinSeconds }: { id: string; withinSeconds: number },
): Promise<Caller | undefined> {
  const session = await trx
    .updateTable('session')
    .set({ last_used_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .where('first_used_at', 'is', null)
    .where('created_at', '>', sql<Date>`now() - make_interval(secs => ${withinSeconds})`)
    .returning(callerColumns)
    .executeTakeFirst()
  return session && callerOf(id, session)
}

/** Returns the id of the session of a refresh token, valid or not. Undefined for a token that no session has. */
export async function findSessionOf(db: Kysely<Schema>, token: string): Promise<string | undefined> {
  const found = await db
    .selectFrom('refresh_token')
    .select('session_id')
    .where('hash', '=', plainHash(token))
    .executeTakeFirst()
  return found?.session_id
}

/**
 * Replaces a refresh token by its successor. Undefined when the token or its session is not valid; a token that was
 * replaced before can also end its session (`reuseOrEnd`). `address`: the client's IP address.
 */
export async function refreshSession(
  services: Services,
  { token, address }: TokenUse,
): Promise<OpenSession | undefined> {
  const rotated = await services.db.transaction().execute(async trx => {
    const first = firstSuccessor(services, token)
    const sessionId = await replaceToken(trx, { token, successor: first })
    if (sessionId === undefined) return reuseOrEnd(trx, services, { token, address })
    await storeToken(trx, services, { token: first, sessionId })
    return { sessionId, successor: first }
  })
  const caller = rotated && (await touchLiveSession(services, rotated.sessionId))
  return caller && { caller, refreshToken: rotated.successor }
}

/**
 * Ends the session of a refresh token, valid or not, unless the session's id is `except`. The session's access tokens
 * become invalid too. Returns the session's owner, or undefined when nothing ended.
 */
export async function endSessionOf(
  db: Kysely<Schema>,
  token: string,
  { except }: { except?: string } = {},
): Promise<{ applicantId: string } | undefined> {
  return db
    .updateTable('session')
    .set({ ended_at: sql<Date>`now()` })
    .where('ended_at', 'is', null)
    .$if(except !== undefined, open => open.where('id', '<>', except ?? ''))
    .where('id', 'in', find =>
      find.selectFrom('refresh_token').select('session_id').where('hash', '=', plainHash(token)),
    )
    .returning('applicant_id as applicantId')
    .executeTakeFirst()
}

/** Ends a session of this applicant. Its access and refresh tokens become invalid. False when nothing ended. */
export async function endSession(
  db: Kysely<Schema>,
  { applicantId, sessionId }: Pick<Caller, 'applicantId' | 'sessionId'>,
): Promise<boolean> {
  const ended = await db
    .updateTable('session')
    .set({ ended_at: sql<Date>`now()` })
    .where('id', '=', sessionId)
    .where('applicant_id', '=', applicantId)
    .where('ended_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return ended !== undefined
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
 * Handles a token that was replaced before; undefined for any other. While its successor is unused, the client may not
 * have received the successor: a second tab asked, or the response was lost. After the successor was used, two clients
 * hold tokens of one session, and one may be a thief; so the session ends. The session also ends when the token has no
 * successor: the token was replaced unused, because the answer with it seemed lost. The session ends, too, when the
 * token has expired or its successor cannot be derived; this alone is no sign of a second client.
 */
async function reuseOrEnd(
  trx: Kysely<Schema>,
  services: Services,
  { token, address }: TokenUse,
): Promise<{ sessionId: string; successor: string } | undefined> {
  const old = await trx
    .selectFrom('refresh_token')
    .select([
      'session_id',
      'successor',
      sql<boolean>`replaced_at > now() - make_interval(secs => ${graceSeconds})`.as('isJustReplaced'),
      sql<boolean>`expires_at > now()`.as('isFresh'),
    ])
    .where('hash', '=', plainHash(token))
    .where('replaced_at', 'is not', null)
    .forUpdate()
    .executeTakeFirst()
  if (!old) return undefined
  const { session_id: sessionId } = old
  const haveTwoTokens = old.successor === null || !(await isUnused(trx, old.successor))
  const isUsable = !haveTwoTokens && old.isFresh
  const unused = isUsable ? findSuccessor(services, token, old.successor) : undefined
  if (old.successor === null || unused === undefined) {
    const ended = await endSessionOf(trx, token)
    // The applicant must be able to see that two clients may have had tokens of the session. One row for each session: an
    // old cookie must not fill a table whose rows stay for 180 days (D111).
    if (ended && haveTwoTokens)
      await recordEvent(trx, services, { kind: 'token-reused', subject: ended, address })
    return undefined
  }
  if (old.isJustReplaced) return { sessionId, successor: unused.successor }
  // Derived with the key of the successors before it: `findSuccessor` derives all of them with one key.
  const successor = nextSuccessor(unused)
  await replaceUnconfirmed(trx, { token, unconfirmed: old.successor, successor })
  await storeToken(trx, services, { token: successor, sessionId })
  return { sessionId, successor }
}

/** Locks the token: a refresh with it at the same time has ended before this read, or waits for this transaction. */
async function isUnused(trx: Kysely<Schema>, hash: string): Promise<boolean> {
  const unused = await trx
    .selectFrom('refresh_token')
    .select('hash')
    .where('hash', '=', hash)
    .where('replaced_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  return unused !== undefined
}

/**
 * Replaces the unused successor of a token by another one. If a client presents the replaced successor later, the
 * session ends, because two clients may hold tokens of one session.
 */
async function replaceUnconfirmed(
  trx: Kysely<Schema>,
  { token, unconfirmed, successor }: { token: string; unconfirmed: string; successor: string },
): Promise<void> {
  const replaced_at = sql<Date>`now()`
  await trx.updateTable('refresh_token').set({ replaced_at }).where('hash', '=', unconfirmed).execute()
  await trx
    .updateTable('refresh_token')
    .set({ replaced_at, successor: plainHash(successor) })
    .where('hash', '=', plainHash(token))
    .execute()
}

function firstSuccessor({ secrets }: Services, token: string, key = secrets.tokenKey): string {
  return keyedHash(key, 'refresh successor', token)
}

/** A successor, and the `TOKEN_KEY` that has derived it. */
type DerivedSuccessor = { successor: string; key: Uint8Array }

/** Returns the successor that replaces an unused successor. */
function nextSuccessor({ successor, key }: DerivedSuccessor): string {
  return keyedHash(key, 'refresh successor again', successor)
}

/**
 * Derives the successor whose hash is stored: the first one, and from it one step for each unused successor that was
 * replaced. Undefined when neither key of this process (D110) has derived the successor.
 */
function findSuccessor(services: Services, token: string, hash: string | null): DerivedSuccessor | undefined {
  // A further successor is derived only after the grace time of the one before it.
  const maxSteps = Math.ceil(services.config.sessionMaxSeconds / graceSeconds)
  const { tokenKey, previousTokenKey } = services.secrets
  for (const key of previousTokenKey === undefined ? [tokenKey] : [tokenKey, previousTokenKey]) {
    let successor = firstSuccessor(services, token, key)
    for (let step = 0; step < maxSteps; step += 1) {
      if (plainHash(successor) === hash) return { successor, key }
      successor = nextSuccessor({ successor, key })
    }
  }
  return undefined
}

async function storeToken(
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

/** Stores that the session is used now. Undefined when it has ended or is too old. */
async function touchLiveSession({ db, config }: Services, sessionId: string): Promise<Caller | undefined> {
  const session = await db
    .updateTable('session')
    .set({ last_used_at: sql<Date>`now()` })
    .where('id', '=', sessionId)
    .where('ended_at', 'is', null)
    .where('created_at', '>', sql<Date>`now() - make_interval(secs => ${config.sessionMaxSeconds})`)
    .returning(callerColumns)
    .executeTakeFirst()
  return session && callerOf(sessionId, session)
}

/**
 * Returns the caller as the session is now: another tab may have changed its contacts, or cancelled the deletion of the account,
 * since the token of this caller was issued. Undefined when the account is gone.
 */
export async function readNewestCaller(
  db: Kysely<Schema>,
  { sessionId }: Pick<Caller, 'sessionId'>,
): Promise<Caller | undefined> {
  const session = await db
    .selectFrom('session')
    .select(callerColumns)
    .where('id', '=', sessionId)
    .executeTakeFirst()
  return session && callerOf(sessionId, session)
}

const callerColumns = [
  'applicant_id',
  'msisdn',
  'email',
  sql<Date | null>`(select deletion_at from applicant where applicant.id = session.applicant_id)`.as(
    'deletion_at',
  ),
] as const

type CallerRow = { applicant_id: string; msisdn: string; email: string; deletion_at: Date | null }

function callerOf(
  sessionId: string,
  { applicant_id: applicantId, msisdn, email, deletion_at: deletionAt }: CallerRow,
): Caller {
  return { applicantId, sessionId, msisdn, email, deletesAt: deletionAt?.toISOString() }
}

/** Whether a refresh token, valid or not, is of an account that waits for its deletion (D112). */
export async function isOfAccountToDelete(db: Kysely<Schema>, token: string): Promise<boolean> {
  const found = await db
    .selectFrom('refresh_token')
    .innerJoin('session', 'session.id', 'refresh_token.session_id')
    .innerJoin('applicant', 'applicant.id', 'session.applicant_id')
    .select('applicant.id')
    .where('refresh_token.hash', '=', plainHash(token))
    .where('applicant.deletion_at', 'is not', null)
    .executeTakeFirst()
  return found !== undefined
}
