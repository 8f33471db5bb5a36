import { type Migration, sql } from 'kysely'

/** For personal data that is encrypted (D71). */
const statements = [
  // Empty until the encryption starts, then one row. `proof`: a value that each start decrypts, to check its data key.
  `create table encryption (
    id boolean primary key default true check (id),
    started_at timestamptz not null default now(),
    proof text not null)`,
  // A keyed hash of the payer's number, because encrypted numbers cannot be compared.
  `alter table payment add column phone_hash text`,
  `create index payment_of_hashed_payer on payment (phone_hash, created_at) where phone_hash is not null`,
]

export const dataAtRest: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
