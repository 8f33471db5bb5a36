import { type Kysely, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { Schema } from '#server/database/schema.ts'
import {
  type BookingFixture,
  countViolations,
  openBookingFixture,
  type PaidApplicant,
  slot,
} from './booking-fixture.ts'

const capacity = 20
const bookerCount = 1_000

async function bookAtOnce(
  fixture: BookingFixture,
  book: (paid: PaidApplicant) => Promise<boolean>,
  together = bookerCount,
): Promise<number> {
  let booked = 0
  for (let first = 0; first < bookerCount; first += together) {
    const paid = await fixture.createPaidApplicants(together)
    const outcomes = await Promise.all(paid.map(book))
    booked += outcomes.filter(Boolean).length
  }
  return booked
}

describe.each([
  // PGlite has one connection: more calls at once would wait for it, some until their timeout.
  { kind: 'pglite', poolSize: undefined, together: 250 },
  { kind: 'postgresql', poolSize: 40, together: 250 },
] as const)(
  '1,000 bookers of one slot of 20 places, $together at once, on $kind (D41)',
  ({ kind, poolSize, together }) => {
    it('give exactly 20 reservations, and every other call is refused as time-taken', async () => {
      const fixture = await openBookingFixture({ kind, capacity, poolSize })
      try {
        const refusals: unknown[] = []
        const book = async (paid: PaidApplicant) => {
          const outcome = await fixture.reserve(paid)
          if ('refused' in outcome) refusals.push(outcome.refused)
          return !('refused' in outcome)
        }
        const reserved = await bookAtOnce(fixture, book, together)
        expect({ engine: fixture.label, reserved }).toEqual({ engine: fixture.label, reserved: capacity })
        expect(refusals).toEqual(Array.from({ length: bookerCount - capacity }, () => 'time-taken'))
        expect(await countViolations(fixture.db)).toEqual({})
      } finally {
        await fixture.close()
      }
    })

    it('give at most one reservation to each applicant who sends three calls at once', async () => {
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
  },
)

describe('the test of this test', () => {
  it('detects the overbooking of a check before an insert', async () => {
    const fixture = await openBookingFixture({ kind: 'postgresql', capacity, poolSize: 40 })
    try {
      // One booker more than there are places has counted before the first one inserts.
      const allCounted = createGate(capacity + 1)
      const booked = await bookAtOnce(fixture, paid => checkThenInsert(fixture.db, paid, allCounted))
      expect(booked).toBeGreaterThan(capacity)
      expect(await countViolations(fixture.db)).toHaveProperty('slots over capacity', 1)
    } finally {
      await fixture.close()
    }
  })
})

/** Returns a function that resolves for all callers when so many have called it. */
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
