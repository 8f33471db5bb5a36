import { type Migration, sql } from 'kysely'

/**
 * Watches: requests to be notified of a free place (F10). An application has at most one watch that has not ended. The
 * job reads the watches of an office in the order of their creation.
 */
const statements = [
  // `told`: number of notifications stored; `told_at`: time of the last one; `told_of`: the free day that it named.
  `create table watch (
    id uuid primary key default gen_random_uuid(),
    application_id uuid not null references application on delete cascade,
    office_id integer not null references office on delete cascade,
    earlier_than date,
    told smallint not null default 0,
    told_at timestamptz,
    told_of date,
    created_at timestamptz not null default now(),
    ended_at timestamptz)`,
  `create unique index one_watch on watch (application_id) where ended_at is null`,
  `create index watch_of_office on watch (office_id, created_at) where ended_at is null`,
]

export const watches: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
