import { createHash, randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '#server/database/schema.ts'
import type { GatewayForm } from '#server/integrations/payment-provider.ts'
import { payableOrders } from './payable-orders.ts'

/** A card form can be used for as long as a card page may stay open: `cardPageSeconds` in `provider-calls.ts`. */
const expiry = sql<Date>`now() + interval '30 minutes'`

/** Forms that one payment keeps. Each press of Pay leaves one, with a bank's whole page; only a few can be open in tabs. */
const maxForms = 5

/** Stores the gateway's form. Returns a ticket with which a browser gets the form once. Deletes the oldest of many forms. */
export async function storeCardForm(
  db: Kysely<Schema>,
  paymentId: string,
  { url, fields, html }: GatewayForm,
): Promise<string> {
  const ticket = randomBytes(24).toString('base64url')
  const form = JSON.stringify({ url, fields, ...(html === undefined ? {} : { html }) })
  await db
    .insertInto('card_page')
    .values({ ticket_hash: hashOf(ticket), payment_id: paymentId, form, expires_at: expiry, used_at: null })
    .execute()
  await sql`
    with other as (
      select ticket_hash from card_page where payment_id = ${paymentId} and ticket_hash <> ${hashOf(ticket)}
      order by created_at desc offset ${sql.lit(maxForms - 1)})
    delete from card_page using other where card_page.ticket_hash = other.ticket_hash`.execute(db)
  return ticket
}

/** Returns the payment's newest form that has not expired, used or not. */
export async function findCardForm(db: Kysely<Schema>, paymentId: string): Promise<GatewayForm | undefined> {
  const row = await db
    .selectFrom('card_page')
    .select('form')
    .where('payment_id', '=', paymentId)
    .where('expires_at', '>', sql<Date>`now()`)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && { url: row.form.url, fields: row.form.fields, html: row.form.html }
}

/**
 * Returns the form of a ticket and uses the ticket up. Undefined when it was used before, expired or is unknown, and when the
 * order has ended or is not needed any more: the payer may have paid in another way.
 */
export async function useCardForm(
  db: Kysely<Schema>,
  ticket: string,
): Promise<{ paymentId: string; form: GatewayForm } | undefined> {
  const row = await db
    .updateTable('card_page')
    .set({ used_at: sql<Date>`now()` })
    .where('ticket_hash', '=', hashOf(ticket))
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .where('payment_id', 'in', payableOrders(db))
    .returning(['payment_id', 'form'])
    .executeTakeFirst()
  return (
    row && {
      paymentId: row.payment_id,
      form: { url: row.form.url, fields: row.form.fields, html: row.form.html },
    }
  )
}

/** Returns the id of the payment that a ticket belongs to, also after the ticket was used or has expired. */
export async function findTicketPayment(db: Kysely<Schema>, ticket: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('card_page')
    .select('payment_id')
    .where('ticket_hash', '=', hashOf(ticket))
    .executeTakeFirst()
  return row?.payment_id
}

function hashOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('base64url')
}
