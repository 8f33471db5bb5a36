import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toWire } from '#contract/application.ts'
import { apiRoot } from '#contract/codes.ts'
import { connectDatabase, type OpenDatabase } from '#server/database/connect.ts'
import { seed } from '#server/seed/seed.ts'
import { createApp } from '#server/start/app.ts'
import { firstPassport } from '#support/data/applicants.ts'
import { dateInDays } from '#support/data/dates.ts'
import {
  largeOfficeId,
  createApplicants,
  idOf as readId,
  openLargeOffice,
  type SeededApplicant,
} from '#support/data/paying-applicants.ts'
import { servicesOn } from '#support/servers/services-on.ts'
import { type Moment, startStatementProxy, type StatementProxy } from '#support/servers/statement-proxy.ts'
import { openMigratedDatabase, type TestDatabase } from '#support/servers/test-databases.ts'
import { isFullRun } from '#support/test-tier.ts'

let database: TestDatabase
let proxy: StatementProxy
/** Connects through the proxy, which cuts the connection. */
let cut: OpenDatabase
/** The server without the proxy. It gets the calls that prepare a step, and the repeated calls. */
let app: FastifyInstance

beforeAll(async () => {
  database = await openMigratedDatabase('postgresql')
  await seed(database.db)
  await openLargeOffice(database.db)
  app = createApp(await servicesOn(database.db))
  proxy = await startStatementProxy(database.databaseUrl)
  cut = await connectDatabase({ databaseUrl: proxy.databaseUrl, dataDir: '', poolSize: 2 })
})
afterAll(async () => {
  await cut.close()
  proxy.close()
  await app.close()
  await database.close()
})

type Request = { path: string; body?: object; key?: string }

async function send(server: FastifyInstance, { token }: SeededApplicant, request: Request) {
  const { statusCode, body } = await server.inject({
    method: 'POST',
    url: `${apiRoot}${request.path}?lg=fr`,
    headers: {
      host: 'localhost:8080',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': request.key ?? randomUUID(),
    },
    payload: JSON.stringify(request.body ?? {}),
  })
  const parsed: unknown = JSON.parse(body)
  return { status: statusCode, body: parsed }
}

async function idOf(answer: ReturnType<typeof send>): Promise<string> {
  const { status, body } = await answer
  return readId({ status, body: Object(body) })
}

const placeAt = (hour: number) => ({
  officeId: String(largeOfficeId),
  appointmentDate: `${dateInDays(9)}T${hour}:00:00`,
  generalQueue: false,
})

const hold = (applicant: SeededApplicant) =>
  idOf(
    send(app, applicant, {
      path: '/appointments',
      body: { ...placeAt(10), applicationId: applicant.applicationId },
    }),
  )

async function book(applicant: SeededApplicant): Promise<string> {
  const id = await hold(applicant)
  expect(await send(app, applicant, { path: `/appointments/${id}/confirm` })).toMatchObject({ status: 200 })
  return id
}

/** Makes the paid application of an applicant one that is being filled in. */
async function reopen({ applicationId }: SeededApplicant): Promise<string> {
  await database.db.updateTable('application').set({ state: 'NEW' }).where('id', '=', applicationId).execute()
  return applicationId
}

type Step = {
  /** Runs the calls before the step; returns the id that the request names. */
  prepare(applicant: SeededApplicant): Promise<string>
  ask(id: string, applicant: SeededApplicant): Request
}

const steps: Record<string, Step> = {
  start: { prepare: async () => '', ask: () => ({ path: '/applications' }) },
  save: {
    prepare: reopen,
    ask: id => ({ path: `/applications/${id}/data`, body: { draft: true, surname: 'MBARGA' } }),
  },
  'confirm the data': {
    prepare: reopen,
    ask: id => ({ path: `/applications/${id}/confirmData`, body: toWire(firstPassport) }),
  },
  delete: { prepare: reopen, ask: id => ({ path: `/applications/${id}/delete` }) },
  book: {
    prepare: async () => '',
    ask: (_, { applicationId }) => ({ path: '/appointments', body: { ...placeAt(10), applicationId } }),
  },
  confirm: { prepare: hold, ask: id => ({ path: `/appointments/${id}/confirm` }) },
  change: { prepare: book, ask: id => ({ path: `/appointments/${id}`, body: placeAt(11) }) },
  cancel: { prepare: book, ask: id => ({ path: `/appointments/${id}`, body: { cancel: true } }) },
  'ask for a message': {
    prepare: async () => '',
    ask: (_, { applicationId }) => ({
      path: `/applications/${applicationId}/watch`,
      body: { officeId: String(largeOfficeId) },
    }),
  },
}

/** The daily run cuts before every other statement and after the statements between. */
const stride = isFullRun ? 1 : 2
const moments = [
  { moment: 'before', first: 1 },
  { moment: 'after', first: stride },
] as const

describe('a local write whose connection to the database is cut (D13, D72)', () => {
  it.each(Object.keys(steps))(
    'succeeds at once with the same key and has one effect, after a cut at any statement of "%s"',
    async name => {
      const step = steps[name]
      if (!step) throw new Error(`no step ${name}`)
      const whole = await runWhole(step)
      for (const { moment, first } of moments) {
        let next = first
        while (await cutAt(step, { number: next, moment }, whole)) next += stride
        // First use of the token, begin, key, effect, answer, commit.
        expect(next).toBeGreaterThan(6)
      }
    },
    120_000,
  )
})

describe('a local write (D72)', () => {
  it('uses no connection but that of its transaction', async () => {
    const single = await connectDatabase({
      databaseUrl: database.databaseUrl,
      dataDir: '',
      poolSize: 1,
      timeoutMs: 5_000,
    })
    const narrow = createApp(await servicesOn(single.db))
    try {
      for (const [name, step] of Object.entries(steps)) {
        const [applicant] = await newApplicant()
        const request = step.ask(await step.prepare(applicant), applicant)
        const { status } = await send(narrow, applicant, request)
        expect({ name, status }).toEqual({ name, status: 200 })
      }
    } finally {
      await narrow.close()
      await single.close()
    }
  }, 60_000)
})

/** Returns the effects of a step that nothing disturbs. */
async function runWhole(step: Step): Promise<object> {
  const [applicant] = await newApplicant()
  const request = step.ask(await step.prepare(applicant), applicant)
  expect(await send(app, applicant, request)).toMatchObject({ status: 200 })
  return readEffects(applicant)
}

/** Returns false when the call has fewer statements, so that nothing was cut. */
async function cutAt(
  step: Step,
  { number, moment }: { number: number; moment: Moment },
  whole: object,
): Promise<boolean> {
  const [applicant] = await newApplicant()
  const request = { ...step.ask(await step.prepare(applicant), applicant), key: randomUUID() }
  let wasCut = false
  // A server of its own, whose caches are empty.
  const through = createApp(await servicesOn(cut.db))
  proxy.breakAt(number, moment, () => {
    wasCut = true
  })
  const first = await send(through, applicant, request)
  const again = await send(app, applicant, request)
  const place = { number, moment, wasCut }
  expect({ ...place, ...first }).toMatchObject({ ...place, status: wasCut ? 503 : 200 })
  expect({ ...place, ...again }).toMatchObject({ ...place, status: 200 })
  if (!wasCut) expect(again).toEqual(first)
  expect({ ...place, ...(await readEffects(applicant)) }).toEqual({ ...place, ...whole })
  expect(await send(app, applicant, request)).toEqual(again)
  proxy.breakAt(Number.MAX_SAFE_INTEGER, moment, () => undefined)
  await through.close()
  return wasCut
}

async function newApplicant(): Promise<[SeededApplicant]> {
  // Places of earlier applicants would fill the slot.
  await sql`update place set appointment_id = null, held_until = null, free_from = null`.execute(database.db)
  await sql`delete from appointment`.execute(database.db)
  const [applicant] = await createApplicants(database.db, 1)
  if (!applicant) throw new Error('Expected an applicant')
  return [applicant]
}

/** What the applicant has in the tables, and the idempotency keys without an answer. */
async function readEffects({ applicantId }: SeededApplicant): Promise<object> {
  const { rows } = await sql<{ found: object }>`
    select jsonb_build_object(
      'applications', (select jsonb_agg(jsonb_build_array(state, version, changes_used, draft) order by created_at, state)
        from application where applicant_id = ${applicantId}),
      'appointments', (select jsonb_agg(appointment.state order by appointment.created_at, appointment.state)
        from appointment join application on application.id = application_id where application.applicant_id = ${applicantId}),
      'places', (select count(*) from place where applicant_id = ${applicantId} and appointment_id is not null),
      'messages', (select count(*) from outbox join appointment
          on outbox.key like 'appointment-confirmed:' || appointment.id || '%'
        join application on application.id = application_id where application.applicant_id = ${applicantId}),
      'watches', (select count(*) from watch join application on application.id = application_id
        where application.applicant_id = ${applicantId} and ended_at is null),
      'unanswered', (select count(*) from idempotency
        where scope like ${`${applicantId} %`} and status is null)) as found`.execute(database.db)
  return rows[0]?.found ?? {}
}
