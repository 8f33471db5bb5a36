import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { keptDays } from '#contract/retention.ts'
import type { Schema } from '#server/database/schema.ts'
import { retryOnConflict } from '#server/database/retry.ts'
import type { Services } from '#server/calls/services.ts'

/** One transaction erases at most this number of applications. */
const batchSize = 500

/** Erases the applications that ended long ago (D113): enrolled, refused and deleted ones. */
export async function eraseClosedApplications({ db, config }: Services): Promise<void> {
  for (const { states, days } of retentionRules)
    for (;;) {
      const count = await retryOnConflict(() =>
        db.transaction().execute(async trx => {
          const ids = await lockClosed(trx, states, days)
          await eraseApplications(trx, sql`select unnest(${ids}::uuid[])`, config)
          return ids.length
        }),
      )
      if (count < batchSize) break
    }
}

/** An application is in `…_CM` after the enrolment; `FAILED` is a refusal. */
const retentionRules = [
  { states: ['READY_FOR_CM', 'SENT_TO_CM', 'FAILED'], days: keptDays.enrolled },
  { states: ['DELETED'], days: keptDays.deletedApplications },
] as const

/** The comment at the start of the SQL prevents its preparation: PostgreSQL plans it at each call (preparing-client.ts). */
async function lockClosed(
  trx: Transaction<Schema>,
  states: readonly string[],
  days: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`/* not prepared (D95) */
    select id from application
    where state in (${sql.join(states.map(state => sql.lit(state)))})
      and updated_at < now() - make_interval(days => ${days}) and not ${hasOpenOrder}
    order by updated_at limit ${batchSize} for update skip locked`.execute(trx)
  return rows.map(({ id }) => id)
}

/**
 * SQL condition: a provider may still report a payment of the application, so its rows must stay. While the final
 * status query runs, `ask_at` is already null: so each query of an order without success counts as running for ten
 * minutes after its start. An `asked_at` more than a minute ahead is of a wrong clock (D95). `offset 0` makes PostgreSQL look
 * up each application in the index: as a join it would read all payments.
 */
export const hasOpenOrder = sql`exists (
  select from payment where payment.application_id = application.id
    and (payment.status = 'IN_PROGRESS' or payment.ask_at is not null
      or (payment.status <> 'SUCCESS'
        and payment.asked_at between now() - interval '10 minutes' and now() + interval '1 minute'))
  offset 0)`

/**
 * Deletes applications with all rows that belong to them, and frees the places of their appointments. The table
 * `past_order` keeps their orders without the applicant, for accounting. For an order that is due for refund it also
 * keeps what the refund needs, such as the number of the payer, until the refund is recorded. `ids`: a query that returns
 * the ids of the applications.
 */
export async function eraseApplications(
  trx: Kysely<Schema>,
  ids: RawBuilder<unknown>,
  { freedPlaceSeconds }: { freedPlaceSeconds: number },
): Promise<void> {
  const appointments = sql`select id from appointment where application_id in (${ids})`
  await sql`
    update place set appointment_id = null, held_until = null, applicant_id = null,
      free_from = now() + random() * ${freedPlaceSeconds} * interval '1 second'
    where appointment_id in (${appointments})`.execute(trx)
  // A place that was freed earlier still remembers its last holder.
  await sql`
    update place set applicant_id = null
    from slot join appointment using (office_id, starts_at)
      join application on application.id = appointment.application_id
    where place.slot_id = slot.id and place.applicant_id = application.applicant_id
      and application.id in (${ids})`.execute(trx)
  // The lock waits for a refund that an operator is recording: otherwise its order would be due for refund again.
  await sql`
    insert into past_order (order_id, method, status, amount, currency, created_at, settled_at, refund_due, refunded_at,
      provider_reference, operator_reference, channel, phone)
    select order_id, method, status, amount, currency, created_at, settled_at, refund_due, refunded_at,
      due.provider_reference, due.operator_reference, due.channel, due.phone
    from payment
      left join lateral (
        select payment.provider_reference, nullif(payment.operator_reference, '') as operator_reference,
          nullif(payment.channel, '') as channel, nullif(payment.phone, '') as phone
        where payment.refund_due and payment.refunded_at is null) as due on true
    where application_id in (${ids})
    for update of payment
    on conflict (order_id) do nothing`.execute(trx)
  await sql`delete from application where id in (${ids})`.execute(trx)
}
