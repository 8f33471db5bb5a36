import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiRoot } from '#contract/codes.ts'
import { connectDatabase, type OpenDatabase } from '#server/database/connect.ts'
import { seed } from '#server/seed/seed.ts'
import { createApp } from '#server/start/app.ts'
import { dateInDays } from '#support/data/dates.ts'
import {
  largeOfficeCapacity,
  largeOfficeId,
  createApplicants,
  idOf,
  openLargeOffice,
  type SeededApplicant,
} from '#support/data/paying-applicants.ts'
import { forceRace, rowOfApplication } from '#support/servers/forced-race.ts'
import { servicesOn } from '#support/servers/services-on.ts'
import { openMigratedDatabase, type TestDatabase } from '#support/servers/test-databases.ts'
import { countViolations } from './booking-fixture.ts'

let database: TestDatabase
/** The connection of the process under test. Its statements are counted. */
let watched: OpenDatabase
/** The process under test, which remembers full slots. */
let app: FastifyInstance
/** Another process on the same tables. */
let other: FastifyInstance
let statements = 0
let hour = 8

beforeAll(async () => {
  database = await openMigratedDatabase('postgresql')
  await seed(database.db)
  await openLargeOffice(database.db)
  watched = await connectDatabase({
    databaseUrl: database.databaseUrl,
    dataDir: '',
    onStatement: () => (statements += 1),
  })
  // A place that is given up is free for every applicant immediately.
  const env = { FREED_PLACE_SECONDS: '0' }
  app = createApp(await servicesOn(watched.db, { env }))
  other = createApp(await servicesOn(database.db, { env }))
})
afterAll(async () => {
  expect(await countViolations(database.db)).toEqual({})
  await app.close()
  await other.close()
  await watched.close()
  await database.close()
})

type Posted = { status: number; body: Record<string, unknown> }

async function post(
  server: FastifyInstance,
  { token }: SeededApplicant,
  { path, body, key = randomUUID() }: { path: string; body: object; key?: string },
): Promise<Posted> {
  const { statusCode, body: text } = await server.inject({
    method: 'POST',
    url: `${apiRoot}${path}?lg=fr`,
    headers: {
      host: 'localhost:8080',
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    payload: JSON.stringify(body),
  })
  return { status: statusCode, body: Object(JSON.parse(text)) }
}

type Slot = { startsAt: string }

function book(
  server: FastifyInstance,
  applicant: SeededApplicant,
  {
    startsAt,
    key = randomUUID(),
    applicationId = applicant.applicationId,
  }: Slot & { key?: string; applicationId?: string },
) {
  const body = {
    applicationId,
    officeId: String(largeOfficeId),
    appointmentDate: startsAt,
    generalQueue: false,
  }
  return post(server, applicant, { path: '/appointments', body, key })
}

const timeTaken = { status: 400, body: { reason: 'time-taken', statusCode: 13 } }

/** Fills a slot of its own, and lets the process under test refuse one booker, so that it remembers the slot as full. */
async function fillSlot() {
  hour += 1
  const slot = { startsAt: `${dateInDays(9)}T${String(hour).padStart(2, '0')}:00:00` }
  const applicants = await createApplicants(database.db, largeOfficeCapacity + 2)
  const holders = applicants.slice(0, largeOfficeCapacity)
  const ids: string[] = []
  for (const holder of holders) ids.push(idOf(await book(app, holder, slot)))
  const [first, loser] = applicants.slice(largeOfficeCapacity)
  const [holder] = holders
  const [id] = ids
  if (!first || !loser || !holder || id === undefined) throw new Error('Expected applicants')
  expect(await book(app, first, slot)).toMatchObject(timeTaken)
  return { slot, first, loser, holder, id }
}

/**
 * Reserves one place of a slot whose other places stay free. The free places must not change the refusal of a booking
 * of the full slot.
 */
async function holdOnePlaceAt(startsAt: string) {
  const [holder] = await createApplicants(database.db, 1)
  if (!holder) throw new Error('Expected an applicant')
  expect((await book(app, holder, { startsAt })).status).toBe(200)
}

/** Runs one call and counts its statements. The first call of a new session has one more: it marks the session as used. */
async function countStatements(call: () => Promise<Posted>): Promise<Posted & { statements: number }> {
  const before = statements
  const posted = await call()
  return { ...posted, statements: statements - before }
}

describe('a booking of a slot that this process has seen full (D118)', () => {
  it('is refused in one statement, and its key gives the same refusal after a place has come back (D13)', async () => {
    const { slot, first, holder, id } = await fillSlot()
    await holdOnePlaceAt(`${dateInDays(10)}${slot.startsAt.slice(10)}`)
    const key = randomUUID()
    const refused = await countStatements(() => book(app, first, { ...slot, key }))
    expect(refused).toMatchObject({ ...timeTaken, statements: 1 })
    await post(other, holder, { path: `/appointments/${id}`, body: { cancel: true } })
    for (const server of [app, other]) {
      const { status, body } = await book(server, first, { ...slot, key })
      expect({ status, body }).toEqual({ status: refused.status, body: refused.body })
    }
    expect((await book(app, first, slot)).status).toBe(200)
  })

  it('gets at once a place that another process has freed, and a place whose hold has ended', async () => {
    const { slot, first, loser, holder, id } = await fillSlot()
    await post(other, holder, { path: `/appointments/${id}`, body: { cancel: true } })
    expect((await book(app, first, slot)).status).toBe(200)
    expect(await book(app, loser, slot)).toMatchObject(timeTaken)
    const past = sql<Date>`now() - interval '1 second'`
    const ended = await database.db
      .selectFrom('appointment')
      .select('id')
      .where('application_id', '=', first.applicationId)
      .executeTakeFirstOrThrow()
    await database.db
      .updateTable('appointment')
      .set({ held_until: past })
      .where('id', '=', ended.id)
      .execute()
    await database.db
      .updateTable('place')
      .set({ held_until: past, free_from: past })
      .where('appointment_id', '=', ended.id)
      .execute()
    expect((await book(app, loser, slot)).status).toBe(200)
  })

  it('returns the reservation of an applicant who has one there, and the place that waits for its last holder', async () => {
    const { slot, first, holder, id } = await fillSlot()
    expect(idOf(await book(app, holder, slot))).toBe(id)
    await post(other, holder, { path: `/appointments/${id}`, body: { cancel: true } })
    await database.db
      .updateTable('place')
      .set({ free_from: sql<Date>`now() + interval '1 hour'` })
      .where('applicant_id', '=', holder.applicantId)
      .execute()
    expect(await countStatements(() => book(app, first, slot))).toMatchObject({ ...timeTaken, statements: 1 })
    expect((await book(app, holder, slot)).status).toBe(200)
  })

  it('is refused for the ended session, the application of another applicant, the wrong state or the reused key, and not because the slot is full', async () => {
    const { slot, first, loser, holder } = await fillSlot()
    const { applicationId } = holder
    expect(await book(app, first, { ...slot, applicationId })).toMatchObject({ status: 404 })
    const key = randomUUID()
    const evening = { startsAt: `${slot.startsAt.slice(0, 10)}T19:00:00` }
    expect(await book(app, loser, { ...evening, key })).toMatchObject({ status: 200 })
    expect(await book(app, loser, { ...slot, key })).toMatchObject({ body: { reason: 'key-reused' } })
    await database.db
      .updateTable('application')
      .set({ state: 'NEW' })
      .where('id', '=', first.applicationId)
      .execute()
    expect(await book(app, first, slot)).toMatchObject({ body: { reason: 'wrong-state' } })
    await database.db
      .updateTable('session')
      .set({ ended_at: sql<Date>`now()` })
      .where('applicant_id', '=', loser.applicantId)
      .execute()
    expect(await book(app, loser, slot)).toMatchObject({ status: 401 })
  })

  it('waits for a call with the same key that takes the last place, and gets its answer (D13, D72)', async () => {
    const { slot, first, holder, id } = await fillSlot()
    await post(other, holder, { path: `/appointments/${id}`, body: { cancel: true } })
    const key = randomUUID()
    // The first call holds its key and waits for the row of its application.
    const [one, again] = await forceRace(database.db, {
      lock: rowOfApplication(first.applicationId),
      actions: [() => book(other, first, { ...slot, key }), () => book(app, first, { ...slot, key })],
    })
    expect(one.status).toBe(200)
    expect(again).toEqual(one)
  })

  it('waits for a call with the same key that loses the last place, and gets its answer (D13, D72)', async () => {
    const { slot, first, loser, holder, id } = await fillSlot()
    await post(other, holder, { path: `/appointments/${id}`, body: { cancel: true } })
    const key = randomUUID()
    const [one, again] = await forceRace(database.db, {
      lock: rowOfApplication(first.applicationId),
      actions: [
        () => book(other, first, { ...slot, key }),
        async () => {
          expect((await book(other, loser, slot)).status).toBe(200)
          return book(app, first, { ...slot, key })
        },
      ],
    })
    expect(one).toMatchObject(timeTaken)
    expect(again).toEqual(one)
  })
})
