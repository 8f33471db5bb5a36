import { sql } from 'kysely'
import { homeTimeZone } from '#contract/codes.ts'
import { dayIn } from '#contract/dates.ts'
import type { AnswerInput } from '#contract/endpoints.ts'
import { daysAfter, planDeletion } from '#server/features/deletion/deletion-plan.ts'
import { deletionFacts, type DeletionRow, selectDeletionRows } from '#server/features/deletion/read-facts.ts'
import type { Services } from '#server/calls/services.ts'
import { isStored, decryptForm } from './stored-form.ts'

type Card = AnswerInput<'listApplications'>['data'][number]

/** The list shows a deletion date from this many days before. An unpaid application is always that near to its date. */
const announcedDaysBefore = 60
/** One screen shows the whole list. Only an applicant who begins and deletes applications again and again has more. */
const maxListed = 200

/**
 * Returns the applications of an applicant, deleted ones too, newest first and at most `maxListed` (API08), with their
 * deletion dates (F12).
 * The clock of the server decides what today is; holds expire by the clock of the database.
 */
export async function listApplications(
  services: Pick<Services, 'db' | 'clock' | 'secrets'>,
  applicantId: string,
): Promise<Card[]> {
  const { db, clock } = services
  const now = clock.now()
  const rows = await selectDeletionRows(db)
    .leftJoin('appointment as hold', join =>
      join
        .onRef('hold.application_id', '=', 'application.id')
        .on('hold.state', '=', 'HELD')
        .on('hold.held_until', '>', sql<Date>`now()`),
    )
    .select(['application.id', 'application.number', 'application.appointment_id'])
    .leftJoin('appointment as booked', 'booked.id', 'application.appointment_id')
    .leftJoin('office', 'office.id', 'booked.office_id')
    .select(['office.id as office_id', 'office.name_fr', 'office.name_en'])
    .select(['booked.starts_at as booked_starts_at', 'booked.confirmed_at as booked_confirmed_at'])
    .select('application.data')
    .select(['hold.id as hold_id', 'hold.starts_at as hold_starts_at'])
    .select(sql<number>`ceil(extract(epoch from hold.held_until - now()))::integer`.as('hold_seconds'))
    .select(lostAppointmentStart(now).as('lost_starts_at'))
    .where('application.applicant_id', '=', applicantId)
    .orderBy('application.created_at', 'desc')
    .orderBy('number', 'desc')
    .limit(sql.lit(maxListed))
    .execute()
  return rows.map(row => {
    // An application whose form was never saved, or was erased, has neither names nor a reason.
    const form = isStored(row) ? decryptForm(services, row) : undefined
    const reason = form?.reason ?? ''
    return {
      id: row.id,
      applicationNumber: row.number,
      currentState: row.state,
      appointment: appointmentOf(row),
      person: { surname: form?.surname ?? '', givenName: form?.givenName ?? '' },
      reason: reason === '' ? null : reason,
      reservation:
        row.hold_id === null
          ? null
          : { id: row.hold_id, appointmentDate: row.hold_starts_at, holdSeconds: row.hold_seconds },
      lostToClosedDay: row.lost_starts_at === null ? null : { appointmentDate: row.lost_starts_at },
      deletionDate: deletionDate(row, dayIn(homeTimeZone, now)),
    }
  })
}

type BookedRow = {
  appointment_id: string | null
  booked_starts_at: string | null
  booked_confirmed_at: Date | null
  office_id: number | null
  name_fr: string | null
  name_en: string | null
}

function appointmentOf({ appointment_id: id, ...row }: BookedRow): Card['appointment'] {
  if (id === null) return null
  if (row.office_id === null) return { id }
  const office = { fr: row.name_fr ?? '', en: row.name_en ?? '' }
  const confirmedAt = row.booked_confirmed_at?.toISOString() ?? null
  return { id, appointmentDate: row.booked_starts_at, office, confirmedAt }
}

/**
 * SQL for the time of the booking that was cancelled last, if nothing else is booked, the time is today or later on the
 * clock of its office, this office has closed the day, and a message about this closed day was stored for the applicant;
 * else null.
 */
const lostAppointmentStart = (now: Date) => sql<string | null>`(
  select last.starts_at from (
    select id, office_id, starts_at from appointment
    where application_id = application.id and application.state = 'APPOINTMENT_CANCELED'
      and state = 'CANCELED' and confirmed_at is not null
    order by confirmed_at desc limit 1) as last
    join office as closed on closed.id = last.office_id
  where last.starts_at >= date_trunc('day', ${now.toISOString()}::timestamptz at time zone closed.time_zone)
    and exists (select from closed_day where office_id = last.office_id and day = last.starts_at::date)
    and exists (select from outbox
    where key in ('day-closed:' || last.id || ':sms', 'day-closed:' || last.id || ':email')))`

function deletionDate(row: DeletionRow, today: string): string | null {
  const day = planDeletion(deletionFacts(row), today)?.day
  return day !== undefined && day <= daysAfter(today, announcedDaysBefore) ? day : null
}
