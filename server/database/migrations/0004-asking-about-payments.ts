import { type Migration, sql } from 'kysely'

/**
 * `ask_at`: when the next status query of a payment is due; `asked_at`: when the last one began. For an order that is
 * open when this migration runs the next one is due at once. `given_up_at`: when the order was marked as failed after a
 * day without a final answer; the server still queries it. `channel`: the wallet or gateway of the order, for a payment
 * method that has several. `operator_reference`: the id of a paid order at the operator, aggregator or bank.
 * `card_page` has each card form with the hash of the ticket that opens it; the row stays after the payer has opened
 * it.
 */
const statements = [
  `alter table payment
    add column channel text not null default '',
    add column operator_reference text not null default '',
    add column sent_at timestamptz,
    add column ask_at timestamptz,
    add column asked_at timestamptz,
    add column given_up_at timestamptz,
    add column refunded_at timestamptz`,
  `update payment set ask_at = now(), sent_at = created_at where status = 'IN_PROGRESS'`,
  `create index payment_to_ask on payment (ask_at) where ask_at is not null`,
  `create index payment_of_payer on payment (phone, created_at) where phone <> ''`,
  `create index payment_of_provider on payment (provider_reference) where provider_reference is not null`,
  `create index event_of_payment on payment_event (payment_id, id)`,
  `create table card_page (
    ticket_hash text primary key,
    payment_id uuid not null references payment on delete cascade,
    form jsonb not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    used_at timestamptz)`,
  `create index card_page_of_payment on card_page (payment_id)`,
]

export const askingAboutPayments: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
