import { type Migration, sql } from 'kysely'

/**
 * Which operator ran which command, and why (D102). `about`: what the command was about, for example an application.
 * Triggers refuse every change of a stored row, so a mistake or a command cannot remove it. The owner of the table can
 * drop the triggers, so a copy outside the database is better evidence.
 */
const statements = [
  `create table operator_record (
    id bigint generated always as identity primary key,
    at timestamptz not null default now(),
    operator text not null,
    machine_user text not null,
    command text not null,
    about text[] not null default '{}',
    reason text not null default '',
    dry_run boolean not null)`,
  `create function refuse_change_of_record() returns trigger language plpgsql as $$ begin
    raise exception 'operator_record is append-only';
  end $$`,
  `create trigger operator_record_stays before update or delete on operator_record
    for each row execute function refuse_change_of_record()`,
  `create trigger operator_records_stay before truncate on operator_record
    for each statement execute function refuse_change_of_record()`,
]

export const operatorRecords: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
