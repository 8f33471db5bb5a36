import { type Migration, sql } from 'kysely'

/**
 * The hashes of the ids of deleted accounts (D133): SHA-256 of the id as text, in hexadecimal. The id of an
 * account follows from its first contact, so the next owner of this contact would get the same id again. A trigger stores the
 * hash at every deletion, also at one by an older release (D73).
 */
const statements = [
  `create table past_applicant (id_hash text primary key, deleted_at timestamptz not null default now())`,
  `create index past_applicant_by_time on past_applicant (deleted_at)`,
  `create function store_past_applicant() returns trigger language plpgsql as $$
    begin
      insert into past_applicant (id_hash) values (encode(sha256(convert_to(old.id::text, 'UTF8')), 'hex'))
        on conflict do nothing;
      return null;
    end $$`,
  `create trigger store_past_applicant after delete on applicant
    for each row execute function store_past_applicant()`,
]

export const pastApplicants: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
