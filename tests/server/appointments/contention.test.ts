import { type Kysely, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { Schema } from '#server/database/schema.ts'
import { isFullRun } from '#support/test-tier.ts'
import {
  type BookingFixture,
  countViolations,
  openBookingFixture,
  type PaidApplicant,
  slot,
} from './booking-fixture.ts'

const capacity = 20
/** The first 250 at once share the places; those after them meet a full slot. */
const bookerCount = isFullRun ? 1_000 : 250
/** PGlite has one connection: of more calls at once some would wait for it until their timeout. */
const atOnceOnAnyDatabase = 250

async function bookAtOnce(
  fixture: BookingFixture,
  book: (paid: PaidApplicant) => Promise<boolean>,
  atOnce = bookerCount,
): Promise<number> {
  let booked = 0
  for (let first = 0; first < bookerCount; first += atOnce) {
    const paid = await fixture.createPaidApplicants(atOnce)
    const outcomes = await Promise.all(paid.map(book))
    booked += outcomes.filter(Boolean).length
  }
  return booked
}

describe.each([
  { kind: 'pglite', poolSize: undefined },
  { kind: 'postgresql', poolSize: 40 },
] as const)('one slot of 20 places on $kind (D41)', ({ kind, poolSize }) => {
  it(`gives exactly 20 reservations to ${bookerCount} bookers, 250 at once, and refuses every other call as time-taken`, async () => {
    const fixture = await openBookingFixture({ kind, capacity, poolSize })
    try {
      const refusals: unknown[] = []
      const book = async (paid: PaidApplicant) => {
        const outcome = await fixture.reserve(paid)
        if ('refused' in outcome) refusals.push(outcome.refused)
        return !('refused' in outcome)
      }
      const reserved = await bookAtOnce(fixture, book, atOnceOnAnyDatabase)
      expect({ engine: fixture.label, reserved }).toEqual({ engine: fixture.label, reserved: capacity })
      expect(refusals).toEqual(Array.from({ length: bookerCount - capacity }, () => 'time-taken'))
      expect(await countViolations(fixture.db)).toEqual({})
    } finally {
      await fixture.close()
    }
  })

  it('gives at most one reservation to each applicant who sends three calls at once', async () => {
    const fixture = await openBookingFixture({ kind, capacity, poolSize })
    try {
      const paid = await fixture.createPaidApplicants(60)
      const outcomes = await Promise.all([...paid, ...paid, ...paid].map(one => fixture.reserve(one)))
      const ids = outcomes.flatMap(outcome => ('refused' in outcome ? [] : [outcome.id]))
      expect(new Set(ids).size).toBe(capacity)
      expect(await countViolations(fixture.db)).toEqual({})
    } finally {
      await fixture.close()
    }
  })
})

describe('the test of this test', () => {
  it('finds the overbooking of bookings that check first and insert then', async () => {
    const fixture = await openBookingFixture({ kind: 'postgresql', capacity, poolSize: 40 })
    try {
      // 21 bookers count before the first one inserts, so each finds a free place.
      const allCounted = createGate(capacity + 1)
      const booked = await bookAtOnce(fixture, paid => checkThenInsert(fixture.db, paid, allCounted))
      expect(booked).toBeGreaterThan(capacity)
      expect(await countViolations(fixture.db)).toHaveProperty('slots over capacity', 1)
    } finally {
      await fixture.close()
    }
  })
})

/** Returns a function that resolves for all callers as soon as `count` of them have called it. */
function createGate(count: number): () => Promise<void> {
  const waiting: (() => void)[] = []
  return () =>
    new Promise(resolve => {
      waiting.push(resolve)
      if (waiting.length >= count) for (const go of waiting) go()
    })
}

/** The wrong way: two bookings that count at the same time both find a free place. */
async function checkThenInsert(
  db: Kysely<Schema>,
  { applicationId }: PaidApplicant,
  allCounted: () => Promise<void>,
): Promise<boolean> {
  return db.transaction().execute(async trx => {
    const { count } = await trx
      .selectFrom('appointment')
      .select(rows => rows.fn.countAll<number>().as('count'))
      .where('office_id', '=', 1)
      .where('starts_at', '=', slot)
      .executeTakeFirstOrThrow()
    if (count >= capacity) return false
    await allCounted()
    await trx
      .insertInto('appointment')
      .values({
        application_id: applicationId,
        office_id: 1,
        starts_at: slot,
        state: 'HELD',
        held_until: sql<Date>`now() + interval '10 minutes'`,
      })
      .execute()
    return true
  })
}
