import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { appointmentParts } from '#contract/appointment.ts'
import { showDate } from '#contract/dates.ts'
import { mayChangeAppointment } from '#contract/states.ts'
import type { Schema } from '#server/database/schema.ts'
import { hoursAfter, localDateTime } from '#server/features/offices/calendar.ts'
import { type ApplicantNotification, notifyApplicants } from '#server/features/messages/notify-applicant.ts'
import type { Services } from '#server/calls/services.ts'
import { translateTo } from '#server/i18n/translate.ts'
import { dueReminder, type Reminder, reminderDays } from './due-reminder.ts'

/** Appointments in one transaction: few, because a cancellation of one of them waits until the transaction has ended. */
const batchSize = 100

/**
 * Puts every due reminder of an appointment into the outbox. The key of the message is unique, so each reminder is
 * stored once. The transaction locks the applications, so that no cancellation runs at the same time. If another
 * transaction has the lock, the next run of the job stores the reminder.
 */
export async function remindDue({ db, clock }: Pick<Services, 'db' | 'clock'>): Promise<void> {
  const now = clock.now()
  const due = await listDue(db, now)
  for (let first = 0; first < due.length; first += batchSize)
    await db.transaction().execute(trx => enqueueReminders(trx, due.slice(first, first + batchSize), now))
}

type DueReminder = { appointmentId: string; daysBefore: Reminder }

/**
 * The statement reads only appointments for which a reminder may be due in one of the time zones, from the index
 * `open_reminders`; `dueReminder` decides by the office's clock. The comment at the start of the statement makes
 * PostgreSQL plan it at each call, for the times of this call (preparing-client.ts).
 */
async function listDue(db: Kysely<Schema>, now: Date): Promise<DueReminder[]> {
  const offices = await db.selectFrom('office').select('time_zone').distinct().execute()
  if (offices.length === 0) return []
  const [firstDays, lastDays] = reminderDays
  /** Office-local times this number of days from now, the earliest first. */
  const timesAfter = (days: number) =>
    offices.map(office => localDateTime(office.time_zone, hoursAfter(now, days * 24))).toSorted()
  /** Repeats the condition of the index, without which PostgreSQL does not use it. */
  const openReminders = (daysCondition: RawBuilder<unknown>, days: Reminder) => sql`
    select id, office_id, starts_at, confirmed_at, reminded_days from appointment
    where state = 'CONFIRMED' and reminded_days is distinct from ${sql.lit(lastDays)}
      and reminded_days ${daysCondition}
      and starts_at > ${timesAfter(0).at(0)} and starts_at <= ${timesAfter(days).at(-1)}`
  const { rows } = await sql<{
    id: string
    starts_at: string
    confirmed_at: Date
    time_zone: string
    reminded_days: number | null
  }>`/* not prepared (D95) */
    select open.id, starts_at, confirmed_at, time_zone, reminded_days
    from (${openReminders(sql`is null`, firstDays)} union all ${openReminders(sql`= ${sql.lit(firstDays)}`, lastDays)}) open
      join office on office.id = open.office_id
    where confirmed_at is not null`.execute(db)
  return rows.flatMap(({ id, starts_at, confirmed_at, time_zone, reminded_days }) => {
    const daysBefore = dueReminder(
      { startsAt: starts_at, confirmedAt: confirmed_at, timeZone: time_zone },
      now,
    )
    return daysBefore === undefined || daysBefore === reminded_days ? [] : [{ appointmentId: id, daysBefore }]
  })
}

async function enqueueReminders(
  trx: Transaction<Schema>,
  due: readonly DueReminder[],
  now: Date,
): Promise<void> {
  const daysOf = new Map(due.map(({ appointmentId, daysBefore }) => [appointmentId, daysBefore]))
  const locked = (await lockBooked(trx, [...daysOf.keys()], now)).filter(({ state }) =>
    mayChangeAppointment(state),
  )
  await notifyApplicants(
    trx,
    locked.map(row => ({ application: row, notification: describeReminder(row, daysOf.get(row.id) ?? 1) })),
  )
  await sql`
    update appointment set reminded_days = sent.days
    from unnest(${locked.map(({ id }) => id)}::uuid[], ${locked.map(({ id }) => daysOf.get(id))}::smallint[])
      as sent (id, days)
    where appointment.id = sent.id`.execute(trx)
}

/** Locks the applications of booked appointments, except those that another transaction has locked. */
function lockBooked(trx: Transaction<Schema>, ids: readonly string[], now: Date) {
  return trx
    .selectFrom('appointment')
    .innerJoin('application', join =>
      join
        .onRef('application.id', '=', 'appointment.application_id')
        .onRef('application.appointment_id', '=', 'appointment.id'),
    )
    .innerJoin('office', 'office.id', 'appointment.office_id')
    .select([
      'appointment.id',
      'appointment.starts_at',
      'application.applicant_id',
      'application.number',
      'application.state',
      'application.language',
      'office.name_fr',
      'office.name_en',
      sql<number>`extract(epoch from appointment.starts_at at time zone office.time_zone - ${now}::timestamptz)::float8`.as(
        'seconds_left',
      ),
    ])
    .where(sql<boolean>`appointment.id = any (${ids}::uuid[])`)
    .where('appointment.state', '=', 'CONFIRMED')
    .forUpdate('application')
    .skipLocked()
    .execute()
}

type BookedRow = Awaited<ReturnType<typeof lockBooked>>[number]

/** The reminder is useless once the appointment has begun. */
function describeReminder(row: BookedRow, daysBefore: Reminder): ApplicantNotification {
  const { id, number, language, starts_at: startsAt, seconds_left: uselessAfterSeconds } = row
  const t = translateTo(language)
  const when = startsAt === null ? '' : `${showDate(startsAt)} ${appointmentParts(startsAt).time}`
  const values = { number, office: row[`name_${language}`], when }
  return {
    key: `reminder:${daysBefore}:${id}`,
    kind: 'appointment-reminder',
    sms: t('reminder.sms', values),
    mail: { subject: t('reminder.subject', values), text: t('reminder.mail', values) },
    uselessAfterSeconds,
  }
}
