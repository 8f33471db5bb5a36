import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { type Kysely, sql } from 'kysely'
import { apiRoot } from '#contract/codes.ts'
import type { Schema } from '#server/database/schema.ts'
import { issueAccessToken } from '#server/features/session/access-token.ts'
import { servicesOn } from '#support/servers/services-on.ts'
import { firstPassport } from './applicants.ts'

/** A signed-in applicant with a paid application. */
export type SeededApplicant = { applicantId: string; applicationId: string; token: string }

export type Server = { origin: string }

export type Posted = { status: number; body: Record<string, unknown> }

/** This office is open every day, with slots of ten minutes and twenty places in each slot. */
export const largeOfficeId = 900
export const largeOfficeCapacity = 20

export async function openLargeOffice(db: Kysely<Schema>): Promise<void> {
  await db
    .insertInto('office')
    .values({
      id: largeOfficeId,
      city_id: 1,
      country_id: 10_998,
      name_fr: 'Grand bureau',
      name_en: 'Great office',
      time_zone: 'Africa/Douala',
      horizon_days: 45,
    })
    .execute()
  await db
    .insertInto('opening')
    .values(
      [1, 2, 3, 4, 5, 6, 7].map(weekday => ({
        office_id: largeOfficeId,
        weekday,
        opens: '08:00',
        closes: '20:00',
        slot_minutes: 10,
        capacity: largeOfficeCapacity,
      })),
    )
    .execute()
}

/**
 * Stores this many applicants and returns them, each with an access token. `signedInSecondsAgo`: the age of the session
 * and its token.
 */
export async function createApplicants(
  db: Kysely<Schema>,
  count: number,
  { signedInSecondsAgo = 0 } = {},
): Promise<SeededApplicant[]> {
  const services = await servicesOn(db)
  const signedInAt = new Date(services.clock.now().getTime() - signedInSecondsAgo * 1_000)
  const atSignIn = { ...services, clock: { now: () => signedInAt } }
  const ids = Array.from({ length: count }, () => randomUUID())
  await sql`insert into applicant (id) select unnest(${ids}::uuid[])`.execute(db)
  await sql`
    insert into contact (kind, value, applicant_id)
    select 'phone', '2376' || lpad(abs(hashtext(id::text))::text, 10, '0'), id from unnest(${ids}::uuid[]) as id`.execute(
    db,
  )
  const sessions = await sql<{ id: string; applicant_id: string }>`
    insert into session (applicant_id, msisdn, created_at)
    select unnest(${ids}::uuid[]), '237671234567', now() - make_interval(secs => ${signedInSecondsAgo})
    returning id, applicant_id`.execute(db)
  const applications = await sql<{ id: string; applicant_id: string }>`
    insert into application (applicant_id, number, state, data, draft)
    select id, 'PP-' || nextval('application_number_seq'), 'PAYMENT_DONE',
      ${JSON.stringify(firstPassport)}::jsonb, false
    from unnest(${ids}::uuid[]) as id
    returning id, applicant_id`.execute(db)
  const applicationOf = new Map(applications.rows.map(row => [row.applicant_id, row.id]))
  return Promise.all(
    sessions.rows.map(async ({ id: sessionId, applicant_id: applicantId }) => ({
      applicantId,
      applicationId: applicationOf.get(applicantId) ?? '',
      token: await issueAccessToken(atSignIn, { applicantId, sessionId, msisdn: '237671234567', email: '' }),
    })),
  )
}

/** Reuses connections: `fetch` would need more CPU time than the server in a test with thousands of requests. */
const agent = new Agent({ keepAlive: true, maxSockets: 1_000 })

/** Sends one request. Resolves to undefined when no response comes. */
export function postJson(
  { origin }: Server,
  applicant: SeededApplicant,
  call: { path: string; body?: object; key?: string },
): Promise<Posted | undefined> {
  const headers = {
    authorization: `Bearer ${applicant.token}`,
    'content-type': 'application/json',
    'idempotency-key': call.key ?? randomUUID(),
  }
  return new Promise(resolve => {
    // No response will come: the process or its connection has ended.
    const fail = () => resolve(undefined)
    const url = `${origin}${apiRoot}${call.path}`
    const sent = request(url, { method: 'POST', headers, agent }, response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', fail)
      response.on('end', () => {
        const body: Posted['body'] = JSON.parse(Buffer.concat(chunks).toString()) // every answer of the API is an object
        resolve({ status: response.statusCode ?? 0, body })
      })
    })
    sent.on('error', fail)
    sent.end(JSON.stringify(call.body ?? {}))
  })
}

/**
 * Sends the call again with the same key, as the portal does, but to the next process, after no response, a status of
 * 500 or more, or `in-flight`. @throws after the last attempt.
 */
export async function postWithRetry(
  servers: readonly Server[],
  applicant: SeededApplicant,
  call: { path: string; body?: object },
): Promise<Posted> {
  const key = randomUUID()
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const server = servers[(Number.parseInt(key.slice(0, 4), 16) + attempt) % servers.length]
    const answer = server && (await postJson(server, applicant, { ...call, key }))
    if (answer && answer.status < 500 && answer.body['reason'] !== 'in-flight') return answer
    await new Promise(resolve => setTimeout(resolve, 100 * (attempt + 1)))
  }
  throw new Error(`${call.path}: no attempt got a final response`)
}

export function idOf({ status, body }: Posted): string {
  const { data } = body
  const id = typeof data === 'object' && data !== null && 'id' in data ? data.id : undefined
  if (typeof id !== 'string') throw new Error(`No id, but ${status}: ${JSON.stringify(body)}`)
  return id
}
