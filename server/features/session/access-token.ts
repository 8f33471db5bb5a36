import { decodeJwt, errors, jwtVerify, SignJWT } from 'jose'
import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod/mini'
import type { Caller } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'
import { keyedHash } from '#server/crypto/keyed-hash.ts'
import { repeatSeconds } from './code-check-rule.ts'

const issuer = 'passport-portal'
const audience = 'passport-portal-api'

/**
 * The claims that the server reads: `sid` is the session's id, `iat` and `exp` are seconds, `deletesAt` is an ISO text. The
 * server accepts a valid token only while its session is open.
 */
const Claims = z.object({
  msisdn: z.string(),
  email: z.string(),
  applicantId: z.uuid(),
  sid: z.uuid(),
  deletesAt: z.optional(z.string()),
  iat: z.number(),
  exp: z.number(),
})

/** Returns a signed token with the claims of SES03; `inactivity`, `exp` and `iat` are seconds. */
export async function issueAccessToken(services: Services, caller: Caller): Promise<string> {
  const { config, clock, secrets } = services
  const now = Math.floor(clock.now().getTime() / 1_000)
  const { msisdn, email, applicantId, sessionId, deletesAt } = caller
  return new SignJWT({
    msisdn,
    email,
    applicantId,
    inactivity: config.inactivitySeconds,
    sid: sessionId,
    ...(deletesAt !== undefined && { deletesAt }),
  })
    .setProtectedHeader({ alg: 'HS256', kid: keyIdOf(secrets.tokenKey) })
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt(now)
    .setExpirationTime(now + config.tokenLifetimeSeconds)
    .sign(secrets.tokenKey)
}

/** Returns the caller of a valid token. Undefined when the token is forged or expired, or its session has ended. */
export async function readCaller(services: Services, token: string): Promise<Caller | undefined> {
  const caller = await readBearer(services, token)
  return caller && (await isSessionLive(services, caller)) ? caller : undefined
}

/**
 * Returns the caller that a token names. Undefined when the token is forged or expired. The caller of this function
 * must still check that the session is open. The first use of a new token marks its session as used (`verifyFirstUse`).
 */
export async function readBearer(services: Services, token: string): Promise<Caller | undefined> {
  const claims = await readClaims(services, token)
  return (
    claims && {
      applicantId: claims.applicantId,
      sessionId: claims.sid,
      msisdn: claims.msisdn,
      email: claims.email,
      deletesAt: claims.deletesAt,
    }
  )
}

/**
 * Whether a token that `readBearer` refused has not expired: then it is forged or changed, or the server no longer
 * knows its key. An expired token is usual, so the result is false for it, also if it is forged.
 */
export function isForged({ clock }: Services, token: string | undefined): boolean {
  if (token === undefined) return false
  try {
    const { exp } = decodeJwt(token)
    return exp === undefined || exp > clock.now().getTime() / 1_000
  } catch (error) {
    if (error instanceof errors.JOSEError) return true
    throw error
  }
}

export async function isSessionLive(services: Services, caller: Caller): Promise<boolean> {
  const { rows } = await sql`${liveSessionQuery(services, caller)}`.execute(services.db)
  return rows.length > 0
}

/** Returns a query that has one row while the session is open, and no row after its end. */
export function liveSessionQuery({ config }: Services, { sessionId }: Caller): RawBuilder<unknown> {
  return sql`
    select id from session
    where id = ${sessionId} and ended_at is null
      and created_at > now() - make_interval(secs => ${config.sessionMaxSeconds})`
}

type VerifiedClaims = z.output<typeof Claims>

/**
 * Caches the claims of valid tokens, so that the requests with one token cost one signature check. The cache says
 * nothing about the session, which is checked at each request. There is one cache for each `tokenKey`, which also has
 * the tokens of the previous key. A process of tests has several.
 */
const verifiedTokens = new WeakMap<Uint8Array, VerifiedTokens>()
type VerifiedTokens = { claims: Map<string, VerifiedClaims>; nextSweepSeconds: number }
const maxVerifiedTokens = 5_000
const sweepSeconds = 60

async function readClaims(services: Services, token: string): Promise<VerifiedClaims | undefined> {
  const { tokenKey } = services.secrets
  const cache = verifiedTokens.get(tokenKey) ?? {
    claims: new Map<string, VerifiedClaims>(),
    nextSweepSeconds: 0,
  }
  verifiedTokens.set(tokenKey, cache)
  const claims = cache.claims.get(token) ?? (await verifyFirstUse(services, token))
  cache.claims.delete(token)
  const nowSeconds = services.clock.now().getTime() / 1_000
  dropExpired(cache, nowSeconds)
  if (claims === undefined || claims.exp <= nowSeconds) return undefined
  // Sets the token again, so that the least recently used token is the first one of the Map, which is dropped.
  cache.claims.set(token, claims)
  const [oldest] = cache.claims.keys()
  if (oldest !== undefined && cache.claims.size > maxVerifiedTokens) cache.claims.delete(oldest)
  return claims
}

/** A token has the phone and the e-mail of its applicant, so the first sweep after its end drops it. */
function dropExpired(cache: VerifiedTokens, nowSeconds: number): void {
  if (nowSeconds < cache.nextSweepSeconds) return
  cache.nextSweepSeconds = nowSeconds + sweepSeconds
  for (const [token, { exp }] of cache.claims) if (exp <= nowSeconds) cache.claims.delete(token)
}

/**
 * Marks the session of a valid token as used: after that, a repeat of the call that opened the session is refused, and
 * replaces no refresh token. That call can be repeated only in the first minute, so an older token needs no mark.
 */
async function verifyFirstUse(services: Services, token: string): Promise<VerifiedClaims | undefined> {
  const claims = await verify(services, token)
  if (claims !== undefined && mayBeRepeated(services, claims))
    await services.db
      .updateTable('session')
      .set({ first_used_at: sql<Date>`now()` })
      .where('id', '=', claims.sid)
      .where('first_used_at', 'is', null)
      .execute()
  return claims
}

/** The session is at least as old as its token. Twice the time, because the clocks of two processes differ a little. */
function mayBeRepeated({ clock }: Services, { iat }: VerifiedClaims): boolean {
  return clock.now().getTime() / 1_000 - iat < 2 * repeatSeconds
}

/** Names a key without revealing it, so that two keys may be valid while they are exchanged (D110). */
function keyIdOf(key: Uint8Array): string {
  return keyedHash(key, 'key id').slice(0, 8)
}

/** Returns the key that `id`, the key id of a token, names; the current key for an unknown id, and for none. */
function keyNamed({ tokenKey, previousTokenKey }: Services['secrets'], id: string | undefined): Uint8Array {
  if (previousTokenKey === undefined) return tokenKey
  const isPrevious = id === undefined ? false : id === keyIdOf(previousTokenKey)
  return isPrevious ? previousTokenKey : tokenKey
}

async function verify(services: Services, token: string): Promise<VerifiedClaims | undefined> {
  try {
    const { payload } = await jwtVerify(token, header => keyNamed(services.secrets, header.kid), {
      algorithms: ['HS256'],
      issuer,
      audience,
      currentDate: services.clock.now(),
    })
    return Claims.safeParse(payload).data
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}
