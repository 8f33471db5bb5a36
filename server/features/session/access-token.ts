import { jwtVerify, SignJWT, errors } from 'jose'
import { sql } from 'kysely'
import * as z from 'zod/mini'
import type { Caller } from '#server/http/call.ts'
import type { Services } from '#server/services.ts'

const issuer = 'passport-portal'
const audience = 'passport-portal-api'

/** What a token carries beside SES03: the session, without which it is worth nothing. */
const Claims = z.object({
  msisdn: z.string(),
  email: z.string(),
  applicantId: z.uuid(),
  sid: z.uuid(),
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
  const claims = await readClaims(services, token)
  if (!claims) return undefined
  const alive = await services.db
    .selectFrom('session')
    .select('id')
    .where('id', '=', claims.sid)
    .where('ended_at', 'is', null)
    .where('created_at', '>', sql<Date>`now() - make_interval(secs => ${services.config.sessionMaxSeconds})`)
    .executeTakeFirst()
  if (!alive) return undefined
  return {
    applicantId: claims.applicantId,
    sessionId: claims.sid,
    msisdn: claims.msisdn,
    email: claims.email,
  }
}

async function readClaims(services: Services, token: string): Promise<z.output<typeof Claims> | undefined> {
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
