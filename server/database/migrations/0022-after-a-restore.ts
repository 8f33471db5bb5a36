import { type Migration, sql } from 'kysely'

/**
 * For the time after a restore (D107, D108). While `job_hold` has its row, no job runs and only codes are sent.
 * `unknown_payment` has payments that are to be given back: a provider's account statement lists them, and `payment` has no
 * row for them. It names no payer.
 */
const statements = [
  `create table job_hold (
    id boolean primary key default true check (id),
    held_at timestamptz not null default now())`,
  `create table unknown_payment (
    order_id text primary key,
    method text not null,
    amount integer not null check (amount > 0),
    currency text not null,
    provider_reference text not null,
    noted_at timestamptz not null default now(),
    refunded_at timestamptz)`,
]

export const afterARestore: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
