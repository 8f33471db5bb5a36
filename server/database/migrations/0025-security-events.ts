import { type Migration, sql } from 'kysely'

/**
 * What happened to accounts and sessions (D111). `subject` is a keyed hash of the applicant, or of the contact that a
 * caller typed; '' when both are unknown. `near` and `wide` are keyed hashes of the caller's networks; '' without one.
 * Triggers refuse to change a row, and to delete one that is younger than 90 days. Only housekeeping deletes rows,
 * after `keptDays.securityEvents`.
 */
const statements = [
  `create table security_event (
    id bigint generated always as identity primary key,
    at timestamptz not null default now(),
    kind text not null,
    subject text not null,
    near text not null default '',
    wide text not null default '')`,
  `create index security_event_of_subject on security_event (subject, id)`,
  `create index security_event_by_time on security_event (at)`,
  `create function refuse_change_of_event() returns trigger language plpgsql as $$ begin
    if tg_op = 'DELETE' and old.at < now() - interval '90 days' then return old; end if;
    raise exception 'security_event is append-only';
  end $$`,
  `create trigger security_event_stays before update or delete on security_event
    for each row execute function refuse_change_of_event()`,
  `create trigger security_events_stay before truncate on security_event
    for each statement execute function refuse_change_of_event()`,
]

export const securityEvents: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
