import { type Migration, sql } from 'kysely'

/**
 * Protects an account: a session proves a contact again before contacts change, and each change of a contact can be
 * undone (D70). An older release ignores the columns and the table (D73).
 */
const statements = [
  // The contact that this session has proven again, and when. A change of contacts clears the proof.
  `alter table session
    add column proof_kind text check (proof_kind in ('phone', 'email')),
    add column proof_at timestamptz`,
  // `value_before` is null when a contact was added, `value_after` when it was removed.
  `create table contact_change (
    id bigint generated always as identity primary key,
    applicant_id uuid not null references applicant on delete cascade,
    kind text not null check (kind in ('phone', 'email')),
    value_before text,
    proven_before timestamptz,
    value_after text,
    undo_hash text not null unique,
    changed_at timestamptz not null default now(),
    undone_at timestamptz,
    check ((value_before is null) <> (value_after is null)))`,
  `create index contact_change_of_applicant on contact_change (applicant_id, id)`,
]

export const accountSafety: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
