import { sql } from 'kysely'
import type { TestDatabase } from '#support/servers/test-databases.ts'

/**
 * Fills the tables as after years of use: `applications` applications, most of them completed, with as many rows in
 * most tables that grow and fewer in the others. A little of everything is due, so that each job has something to do.
 */
export async function fillTables({ db }: Pick<TestDatabase, 'db'>, applications: number): Promise<void> {
  await db.transaction().execute(async trx => {
    // Without the checks of foreign keys, which would take most of the time.
    await sql`set local session_replication_role = replica`.execute(trx)
    for (const statement of statements(applications)) await sql.raw(statement).execute(trx)
    // The next application gets the next number.
    await sql`select setval('application_number_seq', ${applications})`.execute(trx)
  })
  await sql`analyze`.execute(db)
}

/** The age of row n: row 1 is new, the last one 900 days old. */
const age = (total: number) => `(n::float8 / ${total}) * interval '900 days'`
const id = (letter: string) => `md5('${letter}' || n)::uuid`

function statements(total: number): string[] {
  const rows = `generate_series(1, ${total}) n`
  // Every row whose appointment is in the next 30 days; almost all others are completed.
  const isBooked = `n % 33 = 0`
  return [
    `insert into city (id, country_id, name_fr, name_en) values (1, 10998, 'Yaoundé', 'Yaoundé')`,
    `insert into office (id, city_id, country_id, name_fr, name_en, time_zone)
      values (1, 1, 10998, 'Bureau', 'Office', 'Africa/Douala')`,
    `insert into opening values (1, 1, '08:00', '16:00', 15, 4), (1, 3, '08:00', '16:00', 15, 4)`,
    `insert into closed_day (office_id, day) values (1, (now() + interval '20 days')::date)`,
    `insert into applicant (id, created_at) select ${id('a')}, now() - ${age(total)} from ${rows}`,
    `insert into contact (kind, value, applicant_id)
      select 'phone', '2376' || lpad(n::text, 8, '0'), ${id('a')} from ${rows}`,
    `insert into application (id, applicant_id, number, state, data, created_at, appointment_id)
      select ${id('b')}, ${id('a')}, 'PP-' || n,
        case when ${isBooked} then 'APPOINTMENT_SCHEDULED' when n % 1000 = 1 then 'DATA_SAVED' else 'SENT_TO_CM' end,
        jsonb_build_object('surname', 'N' || n), now() - ${age(total)}, ${id('d')} from ${rows}`,
    `update application set updated_at = now() - interval '366 days' where state = 'SENT_TO_CM' and number like '%99'`,
    `update applicant set deletion_at = now() where id in (
      select applicant_id from application where number like '%98')`,
    `update application set created_at = now() - interval '60 days' where state = 'APPOINTMENT_SCHEDULED'`,
    `insert into appointment (id, application_id, office_id, starts_at, state, confirmed_at, created_at, reminded_days)
      select ${id('d')}, ${id('b')}, 1, case when ${isBooked}
          then now()::timestamp + (n % 720) * interval '1 hour' else now()::timestamp - ${age(total)} end,
        'CONFIRMED', now() - interval '40 days' - ${age(total)}, now() - interval '40 days' - ${age(total)},
        case when ${isBooked} then null else 1 end
      from ${rows} where n % 1000 <> 1`,
    `insert into slot (office_id, starts_at)
      select 1, now()::timestamp + interval '30 days' - (4 * n::float8 / ${total}) * interval '930 days'
      from generate_series(1, ${total} / 4) n`,
    `insert into place (slot_id, seat) select slot.id, seat from slot, generate_series(1, 4) seat`,
    `update place set appointment_id = booked.id
      from (select id, row_number() over () as number from appointment where starts_at > now()::timestamp) booked,
        (select slot_id, seat, row_number() over (order by slot_id) as number from place) free
      where booked.number = free.number and place.slot_id = free.slot_id and place.seat = free.seat`,
    `insert into watch (application_id, office_id, created_at)
      select ${id('b')}, 1, now() from ${rows} where n % 5000 = 33`,
    `insert into payment (application_id, order_id, method, status, amount, currency, settled_at, created_at)
      select ${id('b')}, 'O-' || n, 'MOCK', 'SUCCESS', 110000, 'XAF', now() - ${age(total)}, now() - ${age(total)}
      from ${rows} where n % 1000 <> 1`,
    `update payment set status = 'IN_PROGRESS', ask_at = now(), settled_at = null where order_id in ('O-7', 'O-8')`,
    `update payment set refund_due = true where order_id in ('O-9', 'O-10')`,
    `insert into challenge (id, kind, value, browser_hash, created_at, proven_at)
      select ${id('e')}, 'phone', '2376' || lpad(n::text, 8, '0'), 'browser', now() - ${age(total)} / 5.5,
        case when n % 100 > 0 then now() - ${age(total)} / 5.5 end from ${rows}`,
    `insert into one_time_code (challenge_id, code_hash, sent_at, expires_at)
      select ${id('e')}, 'hash', now() - n * interval '5 seconds', now() from generate_series(1, ${total} / 50) n`,
    `insert into usage_count (key, window_start, count)
      select 'key ' || n, now() - n * interval '1 second', 1 from generate_series(1, ${total} / 5) n`,
    `insert into used_captcha (answer_hash, expires_at)
      select 'hash ' || n, now() + interval '1 hour' - n * interval '1 second' from generate_series(1, ${total} / 100) n`,
    `insert into session (id, applicant_id, created_at)
      select ${id('f')}, ${id('a')}, now() - ${age(total)} / 30 from ${rows}`,
    `insert into refresh_token (hash, session_id, expires_at)
      select 'token ' || n, ${id('f')}, now() + interval '1 hour' - ${age(total)} / 800 from ${rows}`,
    `insert into idempotency (scope, key, fingerprint, status, created_at)
      select 'scope', 'key ' || n, 'print', 200, now() - ${age(total)} / 128 from ${rows}`,
    `insert into outbox (key, channel, kind, recipient, message, created_at, sent_at)
      select 'sent ' || n, 'sms', 'otp', '237670000001', '{}', now() - ${age(total)} / 9.99, now() - ${age(total)} / 9.99
      from ${rows}`,
    `insert into outbox (key, channel, kind, recipient, message, priority, next_at)
      select 'waiting ' || n, 'email', 'day-closed', 'awa@example.cm', '{"subject": "S", "text": "T"}', 2,
        now() + interval '1 hour' - n * interval '1 second' from generate_series(1, ${total} / 200) n`,
  ]
}
