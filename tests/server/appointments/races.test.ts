import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createRandom } from '#support/data/random.ts'
import { isFullRun, testedEngines } from '#support/test-tier.ts'
import {
  type BookingFixture,
  countViolations,
  laterSlot,
  openBookingFixture,
  type PaidApplicant,
  slot,
  stateOf,
  cancel,
  confirm,
  reserveChange,
} from './booking-fixture.ts'

const rounds = isFullRun ? 2_000 : 60

function idOf(outcome: Awaited<ReturnType<BookingFixture['reserve']>>): string {
  if ('refused' in outcome) throw new Error(`The time was refused: ${outcome.refused}`)
  return outcome.id
}

function confirmOf({ services }: BookingFixture, { caller }: PaidApplicant, id: string) {
  return confirm(services, caller, id, () => Promise.resolve())
}

function cancelOf({ services }: BookingFixture, { caller }: PaidApplicant, appointmentId: string) {
  return cancel(services, { caller, language: 'en', appointmentId })
}

async function stateOfAppointment({ db }: BookingFixture, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('appointment').select('state').where('id', '=', id).executeTakeFirst()
  return row?.state
}

async function startOf({ db }: BookingFixture, id: string): Promise<string | null | undefined> {
  const row = await db.selectFrom('appointment').select('starts_at').where('id', '=', id).executeTakeFirst()
  return row?.starts_at
}

function openRaceFixture(): Promise<BookingFixture> {
  return openBookingFixture({ kind: 'postgresql', capacity: 1, poolSize: 10 })
}

/**
 * Runs one round, then empties the calendar. `end` is the confirmation's answer and the reservation's state, for example
 * `true CONFIRMED`.
 */
async function playRound(fixture: BookingFixture, round: number) {
  const [mine, other] = await fixture.createPaidApplicants(2)
  if (!mine || !other) throw new Error('Expected two applications')
  const id = idOf(await fixture.reserve(mine))
  await setExpiry(fixture, id, 0.001 * (round % 25) * (1 + Math.floor(round / rounds)))
  const [confirmed] = await Promise.all([
    confirmOf(fixture, mine, id),
    round % 2 === 0 ? cancelOf(fixture, mine, id) : undefined,
    fixture.reserve(other),
  ])
  const end = `${JSON.stringify(confirmed)} ${await stateOfAppointment(fixture, id)}`
  const violations = await countViolations(fixture.db)
  await emptyCalendar(fixture)
  return { end, violations }
}

/** Makes the reservation expire during the race. */
async function setExpiry({ db }: BookingFixture, id: string, seconds: number): Promise<void> {
  await sql`
    with soon as (select now() + make_interval(secs => ${seconds}::float8) as ends),
    held as (update appointment set held_until = ends from soon where id = ${id})
    update place set held_until = ends, free_from = ends from soon where appointment_id = ${id}`.execute(db)
}

/** Confirms wrongly, to test `countViolations`: the place can be lost after the check, when `afterCheck` runs. */
async function checkThenConfirm(
  { db }: BookingFixture,
  { applicationId }: PaidApplicant,
  { id, afterCheck }: { id: string; afterCheck: () => Promise<unknown> },
): Promise<boolean> {
  const { rows } = await sql`select from appointment where id = ${id} and held_until > now()`.execute(db)
  if (rows.length === 0) return false
  await afterCheck()
  await sql`update appointment set state = 'CONFIRMED', held_until = null where id = ${id}`.execute(db)
  await sql`update place set held_until = null where appointment_id = ${id}`.execute(db)
  await sql`
    update application set state = 'APPOINTMENT_SCHEDULED', appointment_id = ${id}
    where id = ${applicationId}`.execute(db)
  return true
}

describe('a reservation that is confirmed, cancelled, expiring and wanted by another applicant at once', () => {
  it(`is never both confirmed and given to another applicant, in ${rounds} rounds or more`, async () => {
    const fixture = await openRaceFixture()
    try {
      const ends = new Map<string, number>()
      // With less than three different ends nothing raced: then more rounds follow, in which reservations expire later.
      for (let round = 0; round < rounds || (ends.size <= 2 && round < 50 * rounds); round += 1) {
        const { end, violations } = await playRound(fixture, round)
        ends.set(end, (ends.get(end) ?? 0) + 1)
        expect(violations).toEqual({})
      }
      const possible = ['true CONFIRMED', 'true CANCELED', 'false HELD', 'false CANCELED', 'false EXPIRED']
      expect(possible).toEqual(expect.arrayContaining([...ends.keys()]))
      expect(ends.size).toBeGreaterThan(2)
    } finally {
      await fixture.close()
    }
  }, 1_800_000)

  it('counts as a violation when wrong code confirms it although another applicant has got the place since the check', async () => {
    const fixture = await openRaceFixture()
    try {
      const [mine, other] = await fixture.createPaidApplicants(2)
      if (!mine || !other) throw new Error('Expected two applications')
      const id = idOf(await fixture.reserve(mine))
      const afterCheck = async () => {
        await fixture.expire(id)
        idOf(await fixture.reserve(other))
      }
      expect(await checkThenConfirm(fixture, mine, { id, afterCheck })).toBe(true)
      expect(await countViolations(fixture.db)).toEqual({
        'appointments without a place': 1,
        'slots over capacity': 1,
      })
    } finally {
      await fixture.close()
    }
  })

  it('becomes one appointment after twenty taps on the confirm button', async () => {
    const fixture = await openBookingFixture({ kind: 'postgresql', capacity: 1, poolSize: 20 })
    try {
      const [mine] = await fixture.createPaidApplicants(1)
      if (!mine) throw new Error('Expected one application')
      const id = idOf(await fixture.reserve(mine))
      const answers = await Promise.all(Array.from({ length: 20 }, () => confirmOf(fixture, mine, id)))
      expect(new Set(answers)).toEqual(new Set([true]))
      expect(await stateOf(fixture.db, mine)).toBe('APPOINTMENT_SCHEDULED')
      expect(await countViolations(fixture.db)).toEqual({})
    } finally {
      await fixture.close()
    }
  })
})

describe('two applicants who reserve each other’s place at the same time, after both reservations have expired', () => {
  it('each get the place of the other, and neither is refused', async () => {
    const fixture = await openBookingFixture({ kind: 'postgresql', capacity: 1, poolSize: 10 })
    try {
      for (let round = 0; round < 50; round += 1) {
        const [one, other] = await fixture.createPaidApplicants(2)
        if (!one || !other) throw new Error('Expected two applications')
        const ids = [idOf(await fixture.reserve(one, slot)), idOf(await fixture.reserve(other, laterSlot))]
        await Promise.all(ids.map(fixture.expire))
        const swapped = await Promise.all([fixture.reserve(one, laterSlot), fixture.reserve(other, slot)])
        expect(await Promise.all(swapped.map(each => startOf(fixture, idOf(each))))).toEqual([
          laterSlot,
          slot,
        ])
        expect(await countViolations(fixture.db)).toEqual({})
        await emptyCalendar(fixture)
      }
    } finally {
      await fixture.close()
    }
  })
})

describe('a crowd that reserves, confirms, changes and cancels', () => {
  it.each(testedEngines)('leaves a calendar without violations, on %s', async kind => {
    const fixture = await openBookingFixture({
      kind,
      capacity: 3,
      changeLimit: 3,
      poolSize: kind === 'postgresql' ? 20 : undefined,
    })
    try {
      const crowd = await fixture.createPaidApplicants(15)
      await Promise.all(crowd.map((one, index) => wander(fixture, one, index)))
      expect(await countViolations(fixture.db)).toEqual({})
      // The crowd has used both slots.
      const { rows } = await sql<{ count: number }>`
        select count(*)::integer from appointment group by starts_at`.execute(fixture.db)
      expect(rows).toHaveLength(2)
      for (const { count } of rows) expect(count).toBeGreaterThan(5)
    } finally {
      await fixture.close()
    }
  })
})

/** Runs 15 steps of one applicant, with the same random numbers in every run. An error of a step fails the test. */
async function wander(fixture: BookingFixture, paid: PaidApplicant, seed: number): Promise<void> {
  const random = createRandom(seed)
  const known: string[] = []
  for (let step = 0; step < 15; step += 1) {
    const id = known.at(-1)
    const selection = { officeId: '1', appointmentDate: random.pick([slot, laterSlot]) }
    const request = { caller: paid.caller, language: 'en', selection } as const
    const kind = random.integerBelow(5)
    if (id === undefined || kind === 0) {
      const outcome = await fixture.reserve(paid, selection.appointmentDate)
      if (!('refused' in outcome)) known.push(outcome.id)
    } else if (kind === 1) {
      const outcome = await reserveChange(fixture.services, { ...request, appointmentId: id })
      if (!('refused' in outcome)) known.push(outcome.id)
    } else if (kind === 2) await cancelOf(fixture, paid, id)
    else if (kind === 3) await fixture.expire(id)
    else await confirmOf(fixture, paid, id)
  }
}

async function emptyCalendar({ db }: BookingFixture): Promise<void> {
  await db.updateTable('place').set({ appointment_id: null, held_until: null, free_from: null }).execute()
  await db
    .updateTable('application')
    .set({ appointment_id: null, state: 'FAILED' })
    // Skips the applications of earlier rounds, of which a full run has thousands.
    .where('state', '<>', 'FAILED')
    .execute()
  await db.deleteFrom('appointment').execute()
}
