import { type Kysely, sql } from 'kysely'
import { appointmentParts } from '#contract/appointment.ts'
import { showDate } from '#contract/dates.ts'
import { mayChangeAppointment } from '#contract/states.ts'
import type { Schema } from '#server/database/schema.ts'
import { describeOffice } from '#server/features/appointments/read-appointment.ts'
import { hoursAfter } from '#server/features/offices/calendar.ts'
import { notifyApplicant } from '#server/features/messages/notify-applicant.ts'
import type { Services } from '#server/calls/services.ts'
import { translateTo } from '#server/i18n/translate.ts'
import { dueReminder, type Reminder } from './due-reminder.ts'

const daySeconds = 86_400

/**
 * Puts every due reminder of an appointment into the outbox. Every process runs this job; the key of the message is
 * unique, so each reminder is stored once. The transaction locks the application, so that no cancellation runs at the
 * same time. If another transaction has the lock, the next run of the job stores the reminder.
 */
export async function remindDue(services: Services): Promise<void> {
  const now = services.clock.now()
  for (const due of await listDue(services.db, now)) await enqueueReminder(services, due)
}

type DueReminder = { appointmentId: string; daysBefore: Reminder }

async function listDue(db: Kysely<Schema>, now: Date): Promise<DueReminder[]> {
  const booked = await db
    .selectFrom('appointment')
    .innerJoin('office', 'office.id', 'appointment.office_id')
    .select(['appointment.id', 'starts_at', 'confirmed_at', 'time_zone'])
    .where('state', '=', 'CONFIRMED')
    // Wide enough for any time zone; `dueReminder` decides by the office's clock.
    .where('starts_at', '>', sql<string>`${hoursAfter(now, -24)}::timestamptz at time zone 'UTC'`)
    .where('starts_at', '<', sql<string>`${hoursAfter(now, 8 * 24)}::timestamptz at time zone 'UTC'`)
    .execute()
  const due = booked.flatMap(
    ({ id, starts_at: startsAt, confirmed_at: confirmedAt, time_zone: timeZone }) => {
      if (startsAt === null || confirmedAt === null) return []
      const daysBefore = dueReminder({ startsAt, confirmedAt, timeZone }, now)
      return daysBefore === undefined ? [] : [{ appointmentId: id, daysBefore }]
    },
  )
  const enqueued = await keysInOutbox(db, due.flatMap(keysOf))
  return due.filter(each => !keysOf(each).some(key => enqueued.has(key)))
}

function causeKeyOf({ appointmentId, daysBefore }: DueReminder): string {
  return `reminder:${daysBefore}:${appointmentId}`
}

function keysOf(due: DueReminder): string[] {
  return [`${causeKeyOf(due)}:sms`, `${causeKeyOf(due)}:email`]
}

async function keysInOutbox(db: Kysely<Schema>, keys: string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set()
  const rows = await db.selectFrom('outbox').select('key').where('key', 'in', keys).execute()
  return new Set(rows.map(({ key }) => key))
}

async function enqueueReminder(services: Services, due: DueReminder): Promise<void> {
  const { appointmentId, daysBefore } = due
  await services.db.transaction().execute(async trx => {
    const application = await trx
      .selectFrom('application')
      .selectAll()
      .where('appointment_id', '=', appointmentId)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (application === undefined || !mayChangeAppointment(application.state)) return
    const appointment = await trx
      .selectFrom('appointment')
      .select(['office_id', 'starts_at'])
      .where('id', '=', appointmentId)
      .where('state', '=', 'CONFIRMED')
      .executeTakeFirst()
    if (!appointment?.starts_at) return
    const office = await describeOffice(trx, appointment.office_id, application.language)
    const t = translateTo(application.language)
    const startsAt = appointment.starts_at
    const when = `${showDate(startsAt)} ${appointmentParts(startsAt).time}`
    const values = { number: application.number, office: office.nameOffice, when }
    await notifyApplicant(trx, application, {
      key: causeKeyOf(due),
      kind: 'appointment-reminder',
      sms: t('reminder.sms', values),
      mail: { subject: t('reminder.subject', values), text: t('reminder.mail', values) },
      // If no gateway works for longer, the outbox drops the reminder, because it would come too late.
      uselessAfterSeconds: daysBefore === 1 ? daySeconds : 3 * daySeconds,
    })
  })
}
