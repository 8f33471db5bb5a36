import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dateInDays } from '#support/data/dates.ts'
import { isFullRun } from '#support/test-tier.ts'
import {
  busyOfficeId,
  idOf,
  type SeededApplicant,
  postJson,
  postWithRetry,
} from '#support/data/paying-applicants.ts'
import { type ServerProcesses, startProcesses } from '#support/servers/server-processes.ts'
import { until } from '#support/servers/portal.ts'
import { type Moment, startStatementProxy, throughProxy } from '#support/servers/statement-proxy.ts'
import { countViolations } from './booking-fixture.ts'

let processes: ServerProcesses

beforeAll(async () => {
  processes = await startProcesses(1)
})
afterAll(() => processes.close())

const slot = `${dateInDays(9)}T10:00:00`
const otherSlot = `${dateInDays(9)}T11:00:00`

type Step = {
  /** What was acknowledged before. */
  prepare(applicant: SeededApplicant): Promise<string>
  ask(applicant: SeededApplicant, appointmentId: string): { path: string; body?: object }
  /** The statement that does it, counted from the one that claims the key, or one in the midst of its transaction. */
  deed: number
  /** The states of the appointments, and what the application has, when it happened once. */
  end: { appointments: string[]; state: string; changes: number; messages: number }
}

const steps: Record<string, Step> = {
  book: {
    prepare: async () => '',
    ask: applicant => ({ path: '/appointments?lg=fr', body: { ...placeAt(slot), ...of(applicant) } }),
    deed: 3,
    end: { appointments: ['HELD'], state: 'PAYMENT_DONE', changes: 0, messages: 0 },
  },
  confirm: {
    prepare: hold,
    ask: (_, id) => ({ path: `/appointments/${id}/confirm?lg=fr` }),
    deed: 5,
    end: { appointments: ['CONFIRMED'], state: 'APPOINTMENT_SCHEDULED', changes: 0, messages: 1 },
  },
  change: {
    prepare: bookWhole,
    ask: (_, id) => ({ path: `/appointments/${id}?lg=fr`, body: placeAt(otherSlot) }),
    deed: 4,
    end: { appointments: ['CONFIRMED', 'HELD'], state: 'APPOINTMENT_SCHEDULED', changes: 0, messages: 1 },
  },
  'confirm a change': {
    prepare: async applicant => {
      const body = placeAt(otherSlot)
      const path = `/appointments/${await bookWhole(applicant)}?lg=fr`
      return idOf(await postWithRetry(processes.portals, applicant, { path, body }))
    },
    ask: (_, id) => ({ path: `/appointments/${id}/confirm?lg=fr` }),
    deed: 5,
    end: { appointments: ['CONFIRMED', 'REPLACED'], state: 'APPOINTMENT_CHANGED', changes: 1, messages: 2 },
  },
  cancel: {
    prepare: bookWhole,
    ask: (_, id) => ({ path: `/appointments/${id}?lg=fr`, body: { cancel: true } }),
    deed: 5,
    end: { appointments: ['CANCELED'], state: 'APPOINTMENT_CANCELED', changes: 1, messages: 1 },
  },
}

describe('a server process that is killed (D46)', () => {
  it.each(Object.keys(steps))(
    'at any statement of "%s" loses nothing that was answered, and what is asked again happens once',
    async name => {
      const step = steps[name]
      if (!step) throw new Error(`no step ${name}`)
      const seen = isFullRun ? await killEverywhere(step) : await killHereAndThere(step, name === 'book')
      // Key, office, reservation, answer at the least: had it been fewer, nothing would have been cut.
      expect(seen).toBeGreaterThanOrEqual(isFullRun ? 8 : name === 'book' ? 2 : 1)
    },
    isFullRun ? 1_800_000 : 60_000,
  )
})

/** At each statement from the first to the last, before it is done and after; says how often. */
async function killEverywhere(step: Step): Promise<number> {
  let kills = 0
  for (const moment of ['before', 'after'] as const)
    for (let number = 1; !(await killAt(step, { number, moment })); number += 1) kills += 1
  return kills
}

/**
 * When the step was done but neither noted nor answered. `isEarlyToo`: and before anything was done, which is alike for
 * every step: only the idempotency key was claimed.
 */
async function killHereAndThere(step: Step, isEarlyToo: boolean): Promise<number> {
  const moments: { number: number; moment: Moment }[] = [{ number: step.deed, moment: 'after' }]
  if (isEarlyToo) moments.push({ number: 2, moment: 'before' })
  let kills = 0
  for (const each of moments) if (!(await killAt(step, each))) kills += 1
  return kills
}

/** Whether it was answered before the kill; either way it is asked again, and has happened once. */
async function killAt(step: Step, { number, moment }: { number: number; moment: Moment }): Promise<boolean> {
  const [applicant] = await processes.applicants(1)
  if (!applicant) throw new Error('one applicant was asked for')
  const asked = step.ask(applicant, await step.prepare(applicant))
  const key = randomUUID()
  const proxy = await startStatementProxy(processes.databaseUrl)
  const doomed = await processes.start(proxy.databaseUrl)
  try {
    // Its own jobs, which count as well, are only due every few seconds.
    proxy.breakAt(number, moment, () => void doomed.stop('SIGKILL'))
    const first = await postJson(doomed, applicant, { ...asked, key })
    await doomed.stop('SIGKILL')
    if (first !== undefined) expect({ moment, number, ...first }).toMatchObject({ status: 200 })

    await databaseHasNoticed()
    await letClaimsLapse()
    const [portal] = processes.portals
    const again = portal && (await postJson(portal, applicant, { ...asked, key }))
    expect({ moment, number, ...again }).toMatchObject({ status: 200 })
    if (first !== undefined) expect(again?.body).toEqual(first.body)
    expect({ moment, number, ...(await readEnd(applicant)) }).toEqual({ moment, number, ...step.end })
    expect(await countViolations(processes.db)).toEqual({})
    return first !== undefined
  } finally {
    await doomed.close()
    proxy.close()
  }
}

/** PostgreSQL does what it has begun for the dead process, and only then looks whether anybody is there. */
async function databaseHasNoticed(): Promise<void> {
  await until('the connections of the dead server to end', async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and application_name = ${throughProxy}`.execute(processes.db)
    return rows.length === 0 ? true : undefined
  })
}

/** A minute after its process died a claim is anybody's. */
async function letClaimsLapse(): Promise<void> {
  await sql`update idempotency set created_at = created_at - interval '61 seconds' where status is null`.execute(
    processes.db,
  )
}

async function readEnd({ applicationId }: SeededApplicant): Promise<Step['end']> {
  const { rows } = await sql<Step['end']>`
    select
      array(select state from appointment where application_id = application.id order by state) as appointments,
      state, changes_used as changes,
      (select count(*) from outbox join appointment on outbox.key like 'appointment-confirmed:' || appointment.id || '%'
        where appointment.application_id = application.id) as messages
    from application where id = ${applicationId}`.execute(processes.db)
  const [end] = rows
  if (!end) throw new Error('the application is there')
  return end
}

function placeAt(appointmentDate: string) {
  return { officeId: String(busyOfficeId), appointmentDate, generalQueue: false }
}

function of({ applicationId }: SeededApplicant) {
  return { applicationId }
}

async function hold(applicant: SeededApplicant): Promise<string> {
  await emptyCalendar()
  const body = { ...placeAt(slot), ...of(applicant) }
  return idOf(await postWithRetry(processes.portals, applicant, { path: '/appointments?lg=fr', body }))
}

async function bookWhole(applicant: SeededApplicant): Promise<string> {
  const id = await hold(applicant)
  await postWithRetry(processes.portals, applicant, { path: `/appointments/${id}/confirm?lg=fr` })
  return id
}

/** Those of the applicants before, so that there is always a place. */
async function emptyCalendar(): Promise<void> {
  await sql`update place set appointment_id = null, held_until = null, free_from = null`.execute(processes.db)
  await sql`update appointment set state = 'CANCELED', held_until = null
    where state in ('HELD', 'CONFIRMED')`.execute(processes.db)
  await sql`update application set state = 'FAILED' where state like 'APPOINTMENT%'`.execute(processes.db)
}
