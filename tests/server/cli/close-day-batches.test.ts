import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { emptyClosedDays } from '#server/features/appointments/closed-days.ts'
import { forceRace } from '#support/servers/forced-race.ts'
import { isFullRun } from '#support/test-tier.ts'
import { startCliFixture } from './cli-fixture.ts'

const bookings = isFullRun ? 2_500 : 250

const { server, officeCommand } = await startCliFixture({
  database: 'postgresql',
  startsAt: '2026-06-01T09:00:00Z',
})

/** Fills one slot of office 1. */
async function fillSlot(startsAt: string): Promise<void> {
  const { db } = server.services
  await sql`
    with slots as (insert into slot (office_id, starts_at) values (1, ${startsAt}) returning id),
    people as (insert into applicant select from generate_series(1, ${bookings}) returning id),
    contacts as (insert into contact (kind, value, applicant_id) select 'email', id || '@example.cm', id from people),
    applications as (
      insert into application (id, applicant_id, number, state, data, appointment_id)
      select gen_random_uuid(), id, 'PP-' || id, 'APPOINTMENT_SCHEDULED', '{}', gen_random_uuid()
      from people returning id, appointment_id),
    appointments as (
      insert into appointment (id, application_id, office_id, starts_at, state, confirmed_at)
      select appointment_id, id, 1, ${startsAt}, 'CONFIRMED', now() from applications returning id)
    insert into place (slot_id, seat, appointment_id)
    select slots.id, row_number() over (), appointments.id from slots, appointments`.execute(db)
}

/** Counts the transactions that wrote the cancelled appointments. */
async function countTransactions(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct xmin::text)::integer as count from appointment where state = 'CANCELED'`.execute(
    server.services.db,
  )
  return rows[0]?.count ?? 0
}

async function countCancelled(): Promise<number> {
  const { db } = server.services
  const cancelled = db.selectFrom('appointment').select('id').where('state', '=', 'CANCELED')
  return (await cancelled.execute()).length
}

describe('close-day on a day with many bookings (D95)', () => {
  it('cancels them in batches, and a dry run cancels none', async () => {
    await fillSlot('2026-06-10T09:00:00')
    const { lines: trial } = await officeCommand.run('close-day', '1', '2026-06-10', '--dry-run')
    expect(trial[0]).toContain(`${bookings} bookings cancelled`)
    expect(await countTransactions()).toBe(0)
    const { lines } = await officeCommand.run('close-day', '1', '2026-06-10')
    expect(lines[0]).toContain(`${bookings} bookings cancelled, 0 reservations ended.`)
    expect(await countTransactions()).toBe(Math.ceil(bookings / 100))
    const { rows } = await sql<{ kind: string; count: number }>`
      select kind, count(*)::integer as count from outbox group by kind`.execute(server.services.db)
    expect(rows).toEqual([{ kind: 'day-closed', count: bookings }])
  }, 300_000)

  it('is not continued by the job that empties closed days after the day was opened again (D45, D96)', async () => {
    const { db } = server.services
    const day = '2026-06-09'
    await fillSlot(`${day}T09:00:00`)
    await db.insertInto('closed_day').values({ office_id: 1, day }).execute()
    const [, cancelledAtOpening] = await forceRace(db, {
      // The row of an application of the first batch.
      lock: sql`select from application where id = (
        select application_id from appointment where starts_at = ${`${day}T09:00:00`}
        order by application_id limit 1) for update`,
      actions: [
        () => emptyClosedDays(server.services),
        async () => {
          await officeCommand.run('open-day', '1', day)
          return countCancelled()
        },
      ],
    })
    expect(await countCancelled()).toBe(cancelledAtOpening)
  }, 300_000)

  it('is recorded as soon as the day is closed, also when a batch fails (D102)', async () => {
    const { db } = server.services
    await fillSlot('2026-06-11T09:00:00')
    await sql`create function refuse_cancel() returns trigger language plpgsql as $$ begin raise 'no batch'; end $$`.execute(
      db,
    )
    await sql`create trigger refuse_cancel before update on appointment execute function refuse_cancel()`.execute(
      db,
    )
    await expect(officeCommand.run('close-day', '1', '2026-06-11', '--as', 'Awa')).rejects.toThrow('no batch')
    const { rows } = await sql<{
      day: string
    }>`select day::text from closed_day where day = '2026-06-11'`.execute(db)
    expect(rows).toHaveLength(1)
    const runs = db.selectFrom('operator_record').select(['operator', 'command', 'about', 'dry_run'])
    expect(await runs.orderBy('id', 'desc').executeTakeFirst()).toEqual({
      operator: 'Awa',
      command: 'close-day',
      about: ['2026-06-11', 'office 1'],
      dry_run: false,
    })
  }, 300_000)
})
