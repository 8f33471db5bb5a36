import { type Kysely, sql } from 'kysely'
import { storedContacts } from '#server/database/contact-values.ts'
import type { Schema } from '#server/database/schema.ts'
import { decryptForm } from '#server/features/applications/stored-form.ts'
import { largeOfficeCapacity } from '#support/data/paying-applicants.ts'
import { servicesOn } from '#support/servers/services-on.ts'
import type { Promised } from './journey.ts'

/** How often the database breaks a promise of the service: data is lost, or stored twice. All counts must be 0. */
export type Findings = {
  lostApplications: number
  doubledApplications: number
  lostSaves: number
  lostConfirmations: number
  lostPayments: number
  /** The provider has the money of an order, but its payment is not SUCCESS or its application is not paid. */
  paidButNotRecorded: number
  doubledPayments: number
  lostAppointments: number
  doubledAppointments: number
  overbookedSlots: number
  /** Booked places (not held ones) whose appointment is not confirmed, and appointments that have several places. */
  wrongPlaces: number
  /** Several SMS of one kind, except codes, to one recipient: a journey has one payment and one appointment. */
  doubledMessages: number
}

export type Counts = {
  applicants: number
  complete: number
  applications: number
  payments: number
  appointments: number
  messages: number
}

/**
 * `paidOrders`: the orders whose money the provider has. `env`: environment variables with the server's keys; without them the
 * keys that the database stores.
 */
type Known = {
  promises: readonly Promised[]
  paidOrders: readonly string[]
  env?: Record<string, string>
}

/** Compares the database with the promises. */
export async function findFaults(
  db: Kysely<Schema>,
  { promises, paidOrders, env }: Known,
): Promise<{ findings: Findings; counts: Counts }> {
  const rows = await readApplications(
    db,
    promises.map(({ phone }) => phone),
    env,
  )
  const byPhone = new Map<string, Row[]>()
  for (const row of rows) byPhone.set(row.phone, [...(byPhone.get(row.phone) ?? []), row])
  const count = (isFault: (promised: Promised, own: readonly Row[]) => boolean) =>
    promises.filter(promised => isFault(promised, byPhone.get(promised.phone) ?? [])).length
  const ofOrders = await sql<{ lost: number }>`
    select count(*)::integer as lost from unnest(${paidOrders}::text[]) as paid (order_id)
    where not exists (
      select from payment join application on application.id = payment.application_id
      where payment.order_id = paid.order_id and payment.status = 'SUCCESS'
        and application.state not in ('NEW', 'DATA_SAVED'))`.execute(db)
  return {
    findings: {
      lostApplications: count(
        ({ applicationId, applicationNumber }, own) =>
          applicationId !== undefined &&
          !own.some(row => row.id === applicationId && row.number === applicationNumber),
      ),
      doubledApplications: count((_, own) => own.length > 1),
      lostSaves: count(
        ({ savedSurname, applicationId }, own) =>
          savedSurname !== undefined &&
          !own.some(row => row.id === applicationId && isAtLeast(row.surname, savedSurname)),
      ),
      lostConfirmations: count(
        ({ isConfirmed }, own) => isConfirmed === true && own.some(row => row.state === 'NEW'),
      ),
      lostPayments: count(
        ({ paidOrder }, own) =>
          paidOrder !== undefined && !own.some(row => row.paid_orders.includes(paidOrder)),
      ),
      paidButNotRecorded: ofOrders.rows[0]?.lost ?? 0,
      doubledPayments: count((_, own) => own.some(row => row.paid_orders.length > 1)),
      lostAppointments: count(
        ({ appointmentId, appointmentDate }, own) =>
          appointmentId !== undefined &&
          !own.some(
            row =>
              row.state === 'APPOINTMENT_SCHEDULED' &&
              row.appointment_id === appointmentId &&
              row.starts_at === appointmentDate &&
              row.places === 1,
          ),
      ),
      doubledAppointments: count((_, own) => own.some(row => row.confirmed > 1)),
      ...(await findWrongPlaces(db)),
      doubledMessages: await countDoubledMessages(db),
    },
    counts: {
      applicants: promises.length,
      complete: promises.filter(({ isComplete }) => isComplete).length,
      applications: rows.length,
      payments: rows.reduce((sum, row) => sum + row.paid_orders.length, 0),
      appointments: rows.reduce((sum, row) => sum + row.confirmed, 0),
      messages:
        (
          await sql<{
            sent: number
          }>`select count(*)::integer as sent from outbox where sent_at is not null`.execute(db)
        ).rows[0]?.sent ?? 0,
    },
  }
}

type Row = {
  phone: string
  id: string
  number: string
  state: string
  surname: string
  paid_orders: string[]
  appointment_id: string | null
  starts_at: string | null
  confirmed: number
  places: number
}

async function readApplications(
  db: Kysely<Schema>,
  phones: readonly string[],
  env: Known['env'],
): Promise<Row[]> {
  const services = await servicesOn(db, { env })
  const { rows } = await sql<Omit<Row, 'surname'> & { data: Record<string, unknown> }>`
    select contact.value as phone, application.id, application.number, application.state,
      application.data, application.appointment_id,
      array(select order_id from payment where application_id = application.id and status = 'SUCCESS') as paid_orders,
      (select to_char(starts_at, 'YYYY-MM-DD"T"HH24:MI:SS') from appointment where id = application.appointment_id) as starts_at,
      (select count(*)::integer from appointment where application_id = application.id and state = 'CONFIRMED') as confirmed,
      (select count(*)::integer from place where appointment_id = application.appointment_id and held_until is null) as places
    from contact join application using (applicant_id)
    where contact.kind = 'phone' and contact.value = any(${storedContacts(...phones)})`.execute(services.db)
  return rows.map(({ data, ...row }) => ({
    ...row,
    surname: decryptForm(services, { id: row.id, data }).surname,
  }))
}

/** Each save of a journey has the name of its tab as the second word of the surname (journey.ts). */
const tabs = ['GENERAL', 'PERSON', 'PARENT', 'NIC']

/** The server may have a later save, whose answer was lost. */
function isAtLeast(surname: string, acknowledged: string): boolean {
  return surname === acknowledged || positionOf(surname) > positionOf(acknowledged)
}

/**
 * Returns the position of a save in the journey; -1 when nothing is saved. The last save is the confirmed form, whose
 * surname names no tab.
 */
function positionOf(surname: string): number {
  if (surname === '') return -1
  const position = tabs.indexOf(surname.split(' ')[1] ?? '')
  return position === -1 ? tabs.length : position
}

async function findWrongPlaces(
  db: Kysely<Schema>,
): Promise<Pick<Findings, 'overbookedSlots' | 'wrongPlaces'>> {
  const { rows } = await sql<{ overbooked: number; wrong: number }>`
    select
      (select count(*)::integer from (
        select office_id, starts_at from appointment where state = 'CONFIRMED' and starts_at is not null
        group by office_id, starts_at having count(*) > ${largeOfficeCapacity}) as slots) as overbooked,
      (select count(*)::integer from place left join appointment on appointment.id = place.appointment_id
        where place.appointment_id is not null and place.held_until is null and appointment.state is distinct from 'CONFIRMED')
      + (select count(*)::integer from (
        select appointment_id from place where appointment_id is not null
        group by appointment_id having count(*) > 1) as twice) as wrong`.execute(db)
  return { overbookedSlots: rows[0]?.overbooked ?? 0, wrongPlaces: rows[0]?.wrong ?? 0 }
}

async function countDoubledMessages(db: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ twice: number }>`
    select count(*)::integer as twice from (
      select recipient, kind from outbox where kind <> 'otp' and channel = 'sms'
      group by recipient, kind having count(*) > 1) as more`.execute(db)
  return rows[0]?.twice ?? 0
}
