import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import { firstPassport } from '#support/data/applicants.ts'
import { bodyOf, type SignedIn, signIn } from '#support/servers/api-client.ts'
import { forceRace } from '#support/servers/forced-race.ts'
import { startTestServer, type TestServer } from '#support/servers/test-server.ts'
import { notifyWatchers } from '#server/features/watch/notify-watchers.ts'
import { createPaidApplication } from '../paid-application.ts'

let server: TestServer

// PostgreSQL, because jobs that run at the same time need a connection each.
beforeAll(async () => {
  server = await startTestServer({ database: 'postgresql' })
  // Office 1 has two places at 09:00 every day, office 2 has no opening.
  const { db } = server.services
  await db.deleteFrom('opening').where('office_id', 'in', [1, 2]).execute()
  await db
    .insertInto('opening')
    .values(
      [1, 2, 3, 4, 5, 6, 7].map(weekday => ({
        office_id: 1,
        weekday,
        opens: '09:00',
        closes: '09:30',
        slot_minutes: 30,
        capacity: 2,
      })),
    )
    .execute()
  await db.updateTable('office').set({ horizon_days: 5 }).where('id', '=', 1).execute()
})
afterAll(() => server.close())

beforeEach(async () => {
  const { db } = server.services
  await db.deleteFrom('watch').execute()
  await db.updateTable('place').set({ appointment_id: null, held_until: null }).execute()
  await db.deleteFrom('appointment').execute()
  await db.updateTable('application').set({ state: 'PAYMENT_DONE' }).execute()
})

type Person = { applicant: SignedIn; phone: string; applicationId: string; number: string }

const known: Person[] = []

type People = { 1: [Person]; 2: [Person, Person]; 3: [Person, Person, Person] }

/**
 * Returns the first `count` applicants with paid applications, and creates those that are missing. Every test gets the same
 * ones.
 */
async function people<Count extends keyof People>(count: Count): Promise<People[Count]> {
  while (known.length < count) {
    const phone = `23767200000${known.length}`
    const applicant = await signIn(server, { phone })
    const paid = await createPaidApplication(server, applicant, {
      ...firstPassport,
      phoneNumber: phone.slice(3),
    })
    known.push({ applicant, phone, ...paid })
  }
  return known.slice(0, count) as People[Count] // the loop has created this many
}

const watch = async ({ applicant, applicationId: id }: Person, officeId = '1') =>
  bodyOf(await applicant.call('startWatch', { params: { id }, body: { officeId } })).data.watch
const read = async ({ applicant, applicationId: id }: Person) =>
  bodyOf(await applicant.call('readWatch', { params: { id } })).data.watch

async function freeDays({ applicant, applicationId }: Person): Promise<string[]> {
  const request = { params: { officeId: '1' }, query: { applicationId } }
  return bodyOf(await applicant.call('listAvailableDates', request)).data.data
}

async function reserve({ applicant, applicationId }: Person, day: string): Promise<string> {
  const body = { applicationId, officeId: '1', appointmentDate: `${day}T09:00:00` }
  return bodyOf(await applicant.call('createAppointment', { body })).data.id
}

const confirm = async ({ applicant }: Person, id: string) =>
  bodyOf(await applicant.call('confirmAppointment', { params: { id } }))

/** Takes every place of office 1 except those of the given days. */
async function fill(except: string[] = []): Promise<void> {
  const [someone] = await people(1)
  for (const day of await freeDays(someone))
    if (!except.includes(day))
      await sql`
        with slot as (
          insert into slot (office_id, starts_at) values (1, ${`${day}T09:00:00`}::timestamp)
          on conflict (office_id, starts_at) do update set office_id = 1 returning id),
        booked as (
          insert into appointment (application_id, office_id, starts_at, state)
          select ${someone?.applicationId}::uuid, 1, ${`${day}T09:00:00`}::timestamp, 'REPLACED'
          from generate_series(1, 2) returning id)
        insert into place (slot_id, seat, appointment_id)
        select slot.id, row_number() over (), booked.id from slot, booked
        on conflict (slot_id, seat) do update set appointment_id = excluded.appointment_id`.execute(
        server.services.db,
      )
}

/** Frees places of a day. */
async function free(day: string, count = 1): Promise<void> {
  await sql`
    update place set appointment_id = null from slot
    where slot.id = place.slot_id and slot.starts_at::date = ${day}::date and place.seat <= ${count}`.execute(
    server.services.db,
  )
}

async function bookDay(day: string): Promise<void> {
  await fill((await freeDays((await people(1))[0])).filter(each => each !== day))
}

const round = () => notifyWatchers(server.services)

/** Recipients of the notices since the last call, in order. */
async function takeRecipients(): Promise<string[]> {
  const all = (await server.outbox.messages()).filter(({ kind }) => kind === 'watch')
  const fresh = all.slice(takenCount)
  takenCount = all.length
  return fresh.map(({ to }) => to)
}
let takenCount = 0

describe('a watch (F10)', () => {
  it('does not exist before it is requested, exists once, and ends when it is stopped', async () => {
    const [person] = await people(1)
    await fill()
    expect(await read(person)).toBeNull()
    const office = 'Centre national de production des passeports (CNPP)'
    expect(await watch(person)).toEqual({ officeId: '1', office, before: null, told: 0 })
    expect(await watch(person)).toMatchObject({ officeId: '1' })
    expect(await read(person)).toMatchObject({ officeId: '1', told: 0 })
    const { applicant, applicationId: id } = person
    bodyOf(await applicant.call('stopWatch', { params: { id } }))
    bodyOf(await applicant.call('stopWatch', { params: { id } }))
    expect(await read(person)).toBeNull()
    await round()
    expect(await takeRecipients()).toEqual([])
  })

  it('matches days before the first free day and before the booked day', async () => {
    const [person] = await people(1)
    const [, second = '', third = '', fourth = ''] = await freeDays(person)
    await fill([third])
    expect(await watch(person)).toMatchObject({ before: third })
    await confirm(person, await reserve(person, third))
    expect(await read(person)).toBeNull()
    await free(fourth)
    expect(await watch(person)).toMatchObject({ before: third })
    await free(fourth)
    await round()
    expect(await takeRecipients()).toEqual([])
    await free(second)
    await round()
    expect(await takeRecipients()).toEqual([person.phone])
  })

  it('is not shown while its office takes no appointments, because no message would come (F10)', async () => {
    const [, , person] = await people(3)
    await fill()
    await watch(person)
    const setActive = (active: boolean) =>
      server.services.db.updateTable('office').set({ active }).where('id', '=', 1).execute()
    await setActive(false)
    await notifyWatchers(server.services)
    const whileInactive = await read(person)
    await setActive(true)
    await notifyWatchers(server.services)
    expect(whileInactive).toBeNull()
    expect(await read(person)).toMatchObject({ officeId: '1' })
  })

  it('ends when its limit day is over, and can be started again for all days (F10)', async () => {
    const [, , person] = await people(3)
    const [, second = '', third = ''] = await freeDays(person)
    await fill([second])
    expect(await watch(person)).toMatchObject({ before: second })
    // The day that was free then was yesterday, and all later days are full.
    await bookDay(second)
    await sql`update watch set earlier_than = (now() at time zone time_zone)::date - 1 from office
      where office.id = watch.office_id`.execute(server.services.db)
    expect(await read(person)).toBeNull()
    expect(await watch(person)).toMatchObject({ before: null })
    await free(third)
    await round()
    expect(await takeRecipients()).toEqual([person.phone])
  })

  it('stays active in the general queue and ends when a date is confirmed', async () => {
    const [person] = await people(1)
    const [first = ''] = await freeDays(person)
    await fill()
    await watch(person)
    const body = {
      applicationId: person.applicationId,
      officeId: '1',
      appointmentDate: null,
      generalQueue: true,
    }
    const queued = bodyOf(await person.applicant.call('createAppointment', { body })).data.id
    await confirm(person, queued)
    expect(await read(person)).toMatchObject({ told: 0 })
    await free(first)
    await round()
    expect(await takeRecipients()).toEqual([person.phone])
    const change = { officeId: '1', appointmentDate: `${first}T09:00:00`, generalQueue: false }
    const other = await person.applicant.call('updateAppointment', { params: { id: queued }, body: change })
    await confirm(person, bodyOf(other).data.id ?? queued)
    expect(await read(person)).toBeNull()
  })

  it.each([
    ['NEW', 409],
    ['READY_FOR_CM', 409],
  ] as const)('is refused for an application in state %s', async (state, status) => {
    const [{ applicant, applicationId: id }] = await people(1)
    await server.services.db.updateTable('application').set({ state }).where('id', '=', id).execute()
    const answer = await applicant.call('startWatch', { params: { id }, body: { officeId: '1' } })
    expect(answer).toMatchObject({ kind: 'failed', status })
  })

  it('can start twenty times in a row, then once in three minutes, each time in place of the one before (D97)', async () => {
    const own = await startTestServer()
    const applicant = await signIn(own, { phone: '237672000099' })
    const { applicationId: id } = await createPaidApplication(own, applicant)
    const begin = (officeId: string) => applicant.call('startWatch', { params: { id }, body: { officeId } })
    for (let count = 0; count < 20; count += 1)
      expect((await begin(count % 2 === 0 ? '3' : '1')).status).toBe(200)
    const refused = await begin('3')
    expect(refused).toMatchObject({
      status: 429,
      failure: {
        reason: 'too-many-requests',
        data: { seconds: 180 },
        message: expect.stringMatching(/dans 3\smin\.$/),
      },
    })
    expect(Number(refused.headers['retry-after'])).toBe(180)
    expect((await begin('1')).status, 'the watch that is there').toBe(200)
    const live = await own.services.db
      .selectFrom('watch')
      .select('office_id')
      .where('ended_at', 'is', null)
      .execute()
    expect(live).toEqual([{ office_id: 1 }])
    expect((await applicant.call('stopWatch', { params: { id } })).status).toBe(200)
    expect((await begin('1')).status).toBe(429)
    own.clock.advanceSeconds(180)
    expect((await begin('1')).status).toBe(200)
    await own.close()
  })

  it('is refused for an unknown office', async () => {
    const [{ applicant, applicationId: id }] = await people(1)
    const answer = await applicant.call('startWatch', { params: { id }, body: { officeId: '999' } })
    expect(answer).toMatchObject({ kind: 'failed', status: 422 })
  })
})

describe('a place that became free (F10)', () => {
  it('is announced only to the applicant who has watched longest, in the language of the application, and is not reserved', async () => {
    const [first, second, third] = await people(3)
    const [day = ''] = await freeDays(first)
    await fill()
    for (const person of [second, first, third]) await watch(person)
    await free(day)
    await round()
    await round()
    expect(await takeRecipients()).toEqual([second.phone])
    expect(await read(second)).toMatchObject({ told: 1 })
    const text = (await server.outbox.messages()).findLast(({ kind }) => kind === 'watch')?.text
    expect(text).toContain(
      `Passeport ${second.number} : une place est libre le ${day.split('-').toReversed().join('.')}`,
    )
    expect(await freeDays(third)).toEqual([day])
    await confirm(third, await reserve(third, day))
  })

  it('is announced to as many applicants as there are places', async () => {
    const [first, second, third] = await people(3)
    const [day = ''] = await freeDays(first)
    await fill()
    for (const person of [first, second, third]) await watch(person)
    await free(day, 2)
    await round()
    expect(await takeRecipients()).toEqual([first.phone, second.phone])
  })

  it('is announced to the next applicant when it is still free after 30 minutes', async () => {
    const [first, second] = await people(2)
    const [day = ''] = await freeDays(first)
    await fill()
    for (const person of [first, second]) await watch(person)
    await free(day)
    await round()
    await age(29)
    await round()
    expect(await takeRecipients()).toEqual([first.phone])
    await age(2)
    await round()
    await round()
    expect(await takeRecipients()).toEqual([second.phone])
    await age(31)
    await round()
    expect(await takeRecipients()).toEqual([])
  })

  it('is announced to an applicant behind more than a hundred others for whom it is too late', async () => {
    const [, crowd, patient] = await people(3)
    const [early = '', limit = '', later = ''] = await freeDays(patient)
    await fill()
    await queueUp(crowd, { count: 101, earlierThan: limit })
    await watch(patient)
    await free(early)
    await round()
    expect(await takeRecipients()).toEqual([crowd.phone])
    // The early place is offered already, and the later one is too late for the crowd.
    await free(later)
    await round()
    expect(await takeRecipients()).toEqual([patient.phone])
  })

  it('is announced under a new key for another day after a restore, because gateways keep the old key (D94)', async () => {
    const [, person] = await people(2)
    const [first = '', second = ''] = await freeDays(person)
    await fill()
    await watch(person)
    await free(first)
    await round()
    expect(await takeRecipients()).toEqual([person.phone])
    // The backup is older than the message.
    const { db } = server.services
    await db.updateTable('watch').set({ told: 0, told_of: null, told_at: null }).execute()
    await db.deleteFrom('outbox').where('kind', '=', 'watch').execute()
    await bookDay(first)
    await free(second)
    await round()
    expect(await takeRecipients()).toEqual([person.phone])
    const sent = (await server.outbox.messages()).filter(({ kind }) => kind === 'watch')
    const keys = sent.slice(-2).map(({ key }) => key)
    expect(new Set(keys).size).toBe(2)
  })

  it('is announced to one applicant at most three times', async () => {
    const [first] = await people(1)
    const [day = ''] = await freeDays(first)
    await fill()
    await watch(first)
    for (let time = 1; time <= 5; time += 1) {
      await free(day)
      await round()
      await bookDay(day)
      await round()
      await age(31)
    }
    expect(await takeRecipients()).toEqual([first.phone, first.phone, first.phone])
    expect(await read(first)).toBeNull()
  })

  it('is announced once when an applicant reserves it and gives it up again and again, until it is booked (D41)', async () => {
    const [bot, , patient] = await people(3)
    const [day = ''] = await freeDays(bot)
    await fill()
    await free(day)
    let held = await reserve(bot, day)
    await watch(patient)
    for (let time = 0; time < 4; time += 1) {
      bodyOf(await bot.applicant.call('updateAppointment', { params: { id: held }, body: { cancel: true } }))
      // The place stays closed to others for a while (D41).
      await server.services.db.updateTable('place').set({ free_from: null }).execute()
      await round()
      held = await reserve(bot, day)
      await round()
    }
    expect(await takeRecipients()).toEqual([patient.phone])
    await confirm(bot, held)
    await round()
    await free(day)
    await round()
    expect(await takeRecipients()).toEqual([patient.phone])
  })

  it('is announced when a calendar is opened', async () => {
    const [first] = await people(1)
    await watch(first, '2')
    await round()
    expect(await takeRecipients()).toEqual([])
    const hours = { opens: '09:00', closes: '10:00', slot_minutes: 30, capacity: 1 }
    await server.services.db
      .insertInto('opening')
      .values([1, 2, 3, 4, 5].map(weekday => ({ office_id: 2, weekday, ...hours })))
      .execute()
    await round()
    expect(await takeRecipients()).toEqual([first.phone])
  })

  it('is announced by e-mail when the applicant has proven no phone number (D109)', async () => {
    const [first] = await people(1)
    const [day = ''] = await freeDays(first)
    const change = (contact: { kind: 'phone' | 'email'; value: string }) =>
      server.services.db
        .updateTable('contact')
        .set(contact)
        .where('applicant_id', '=', first.applicant.applicantId)
        .execute()
    await fill()
    await watch(first)
    await change({ kind: 'email', value: 'first@example.cm' })
    await free(day)
    await round()
    expect(await takeRecipients()).toEqual(['first@example.cm'])
    await change({ kind: 'phone', value: first.phone })
  })

  it('is not announced to an applicant who stops the watch while the job runs, and the watch stays stopped', async () => {
    const [, , person] = await people(3)
    const [day = ''] = await freeDays(person)
    await fill()
    await watch(person)
    await free(day)
    const { applicant, applicationId: id } = person
    const stop = () => applicant.call('stopWatch', { params: { id } })
    const lock = sql`select from watch where application_id = ${id} and ended_at is null for update`
    const [stopped] = await forceRace(server.services.db, { lock, actions: [stop, round] })
    expect(bodyOf(stopped).data.watch).toBeNull()
    expect(await read(person)).toBeNull()
    expect(await takeRecipients()).toEqual([])
  })

  it('causes one message when the job runs three times at once', async () => {
    const [first, second] = await people(2)
    const [day = ''] = await freeDays(first)
    for (let time = 0; time < 10; time += 1) {
      await server.services.db.deleteFrom('watch').execute()
      await fill()
      await watch(first)
      await watch(second)
      await free(day)
      await Promise.all([round(), round(), round()])
      expect(await takeRecipients()).toEqual([first.phone])
    }
  })
})

/** Puts watches of further applications of a person before all other watches. */
async function queueUp(
  { applicant: { applicantId } }: Person,
  { count, earlierThan }: { count: number; earlierThan: string },
): Promise<void> {
  await sql`
    with queued as (
      insert into application (applicant_id, number, state)
      select ${applicantId}::uuid, 'QUEUED-' || number, 'PAYMENT_DONE' from generate_series(1, ${count}::integer) as number
      returning id)
    insert into watch (application_id, office_id, earlier_than, created_at)
    select id, 1, ${earlierThan}::date, now() - interval '1 hour' from queued`.execute(server.services.db)
}

/** Ages the notices of the watches. */
async function age(minutes: number): Promise<void> {
  const { db } = server.services
  await sql`update watch set told_at = told_at - ${minutes} * interval '1 minute'`.execute(db)
}
