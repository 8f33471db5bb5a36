import { sql } from 'kysely'
import * as z from 'zod/mini'
import { readForm } from '#contract/application.ts'
import { fromStored } from '#server/config/data-keys.ts'
import type { TestServer } from '#support/servers/test-server.ts'
import type { Subject } from './valid-requests.ts'

/** Returns the rows of an applicant in seven tables, as text. No request of another applicant may change them. */
export async function rowsOf({ services }: TestServer, { applicant, application }: Subject): Promise<string> {
  const { rows } = await sql`
    select 'applicant' as kind, row_to_json(t)::text as text from applicant t where id = ${applicant.applicantId}
    union all select 'contact', row_to_json(t)::text from contact t where applicant_id = ${applicant.applicantId}
    union all select 'session', row_to_json(t)::text from session t where applicant_id = ${applicant.applicantId}
    union all select 'application', row_to_json(t)::text from application t where applicant_id = ${applicant.applicantId}
    union all select 'payment', row_to_json(t)::text from payment t where application_id = ${application}
    union all select 'appointment', row_to_json(t)::text from appointment t where application_id = ${application}
    union all select 'place', row_to_json(t)::text from place t where applicant_id = ${applicant.applicantId}
      or appointment_id in (select id from appointment where application_id = ${application})
    order by 1, 2`.execute(services.db)
  return JSON.stringify(rows)
}

/** Counts the rows that only an incomplete write could leave, for each kind. */
export async function countIncompleteWrites({ services }: TestServer): Promise<Record<string, number>> {
  const { rows } = await sql<Record<string, number>>`select
    (select count(*)::integer from idempotency where status is null or answer is null) as keys,
    (select count(*)::integer from appointment where state = 'CONFIRMED' and starts_at is not null
      and not exists (select from place where appointment_id = appointment.id and held_until is null)) as bookings,
    (select count(*)::integer from place left join appointment on appointment.id = place.appointment_id
      where place.appointment_id is not null and place.held_until is null
      and appointment.state is distinct from 'CONFIRMED') as places,
    (select count(*)::integer from (select appointment_id from place where appointment_id is not null
      group by appointment_id having count(*) > 1) as doubled) as twice,
    (select count(*)::integer from application where state not in ('NEW', 'DATA_SAVED', 'DELETED')
      and not exists (select from payment where application_id = application.id and status = 'SUCCESS')) as unpaid,
    (select count(*)::integer from payment join application on application.id = payment.application_id
      where payment.status = 'SUCCESS' and application.state in ('NEW', 'DATA_SAVED')) as unrecorded`.execute(
    services.db,
  )
  return rows[0] ?? {}
}

/** Returns the ids of applications whose stored answers cannot be decrypted, or have a value that the server would drop. */
export async function unreadableForms({ services }: TestServer): Promise<string[]> {
  const rows = await services.db.selectFrom('application').select(['id', 'data']).execute()
  return rows.filter(row => !isReadable(services, row)).map(({ id }) => id)
}

const Sealed = z.object({ sealed: z.string() })
const Opened = z.object({ values: z.record(z.string(), z.unknown()) })

function isReadable(
  services: TestServer['services'],
  { id, data }: { id: string; data: Record<string, unknown> },
): boolean {
  const { data: stored } = Sealed.safeParse(data)
  try {
    // Not by decryptForm, which drops invalid values.
    const values = stored
      ? Opened.parse(JSON.parse(fromStored(services, { column: 'application.data', row: id }, stored.sealed)))
          .values
      : data
    const form = new Map<string, unknown>(Object.entries(readForm(values)))
    return Object.entries(values).every(([field, value]) => form.get(field) === value)
  } catch {
    return false
  }
}

/**
 * Returns the payments that are stored as paid although no provider has reported a success, and those whose amount or
 * currency is not that of the fee. `paid`: the numbers of the orders for which a provider has reported a success.
 */
export async function wronglyPaid({ services }: TestServer, paid: ReadonlySet<string>): Promise<string[]> {
  const { feeAmount, feeCurrency } = services.config
  const payments = await services.db
    .selectFrom('payment')
    .select(['order_id', 'method', 'status', 'amount', 'currency'])
    .execute()
  return payments
    .filter(({ order_id, status, amount, currency }) => {
      const isUnproven = status === 'SUCCESS' && !paid.has(order_id)
      return isUnproven || amount !== feeAmount || currency !== feeCurrency
    })
    .map(({ order_id, method, status, amount }) => `${order_id} ${method} ${status} ${amount}`)
}
