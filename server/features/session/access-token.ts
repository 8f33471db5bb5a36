import { jwtVerify, SignJWT, errors } from 'jose'
import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod/mini'
import type { Caller } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'

const issuer = 'passport-portal'
const audience = 'passport-portal-api'

/** What a token carries beside SES03: the session, without which it is worth nothing. */
const Claims = z.object({
  msisdn: z.string(),
  email: z.string(),
  applicantId: z.uuid(),
  sid: z.uuid(),
  exp: z.number(),
})

/** A signed token with the claims of SES03; `inactivity`, `exp` and `iat` are seconds. */
export async function issueAccessToken(services: Services, caller: Caller): Promise<string> {
  const { config, clock, secrets } = services
  const now = Math.floor(clock.now().getTime() / 1_000)
  const { msisdn, email, applicantId, sessionId } = caller
  return new SignJWT({ msisdn, email, applicantId, inactivity: config.inactivitySeconds, sid: sessionId })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setIssuedAt(now)
    .setExpirationTime(now + config.tokenLifetimeSeconds)
    .sign(secrets.tokenKey)
}

/** Who a token stands for, if it is ours, in time, and its session has not ended. */
export async function readCaller(services: Services, token: string): Promise<Caller | undefined> {
  const caller = await readBearer(services, token)
  return caller && (await isSessionLive(services, caller)) ? caller : undefined
}

/** Who a token stands for, if it is ours and in time; it is worth nothing until its session is known to be alive. */
export async function readBearer(services: Services, token: string): Promise<Caller | undefined> {
  const claims = await readClaims(services, token)
  return (
    claims && {
      applicantId: claims.applicantId,
      sessionId: claims.sid,
      msisdn: claims.msisdn,
      email: claims.email,
    }
  )
}

export async function isSessionLive(services: Services, caller: Caller): Promise<boolean> {
  const { rows } = await sql`${liveSessionQuery(services, caller)}`.execute(services.db)
  return rows.length > 0
}

/** A query that has one row while the session lives, and none after. */
export function liveSessionQuery({ config }: Services, { sessionId }: Caller): RawBuilder<unknown> {
  return sql`
    select id from session
    where id = ${sessionId} and ended_at is null
      and created_at > now() - make_interval(secs => ${config.sessionMaxSeconds})`
}

type VerifiedClaims = z.output<typeof Claims>

/**
 * What was found in tokens that are good, so that the requests of a journey cost one check of a signature. Whether the
 * session lives is asked every time. By the key that they were checked with: a process may hold more than one.
 */
const verifiedTokens = new WeakMap<Uint8Array, Map<string, VerifiedClaims>>()
const maxVerifiedTokens = 5_000

async function readClaims(services: Services, token: string): Promise<VerifiedClaims | undefined> {
  const { tokenKey } = services.secrets
  const known = verifiedTokens.get(tokenKey) ?? new Map<string, VerifiedClaims>()
  verifiedTokens.set(tokenKey, known)
  const claims = known.get(token) ?? (await verify(services, token))
  known.delete(token)
  if (claims === undefined || claims.exp <= services.clock.now().getTime() / 1_000) return undefined
  // The last in the row is the last that came: who goes on is not forgotten.
  known.set(token, claims)
  const [oldest] = known.keys()
  if (oldest !== undefined && known.size > maxVerifiedTokens) known.delete(oldest)
  return claims
}

async function verify(services: Services, token: string): Promise<VerifiedClaims | undefined> {
  try {
    const { payload } = await jwtVerify(token, services.secrets.tokenKey, {
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
