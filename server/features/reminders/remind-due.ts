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
 * Stores the reminders of appointments that are due. Every process runs this job. The key stores each reminder only
 * once, and the transaction locks the application, so a cancellation runs before it or after it.
 */
export async function remindDue(services: Services): Promise<void> {
  const now = services.clock.now()
  for (const { appointmentId, reminder } of await listDue(services.db, now))
    await sendReminder(services, { appointmentId, reminder })
}

type DueReminder = { appointmentId: string; reminder: Reminder }

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
      const reminder = dueReminder({ startsAt, confirmedAt, timeZone }, now)
      return reminder === undefined ? [] : [{ appointmentId: id, reminder }]
    },
  )
  const enqueued = await keysInOutbox(db, due.flatMap(keysOf))
  return due.filter(each => !keysOf(each).some(key => enqueued.has(key)))
}

function causeKeyOf({ appointmentId, reminder }: DueReminder): string {
  return `reminder:${reminder}:${appointmentId}`
}

function keysOf(due: DueReminder): string[] {
  return [`${causeKeyOf(due)}:sms`, `${causeKeyOf(due)}:email`]
}

async function keysInOutbox(db: Kysely<Schema>, keys: string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set()
  const rows = await db.selectFrom('outbox').select('key').where('key', 'in', keys).execute()
  return new Set(rows.map(({ key }) => key))
}

async function sendReminder(services: Services, { appointmentId, reminder }: DueReminder): Promise<void> {
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
      key: causeKeyOf({ appointmentId, reminder }),
      kind: 'appointment-reminder',
      sms: t('reminder.sms', values),
      mail: { subject: t('reminder.subject', values), text: t('reminder.mail', values) },
      // After a longer outage of the gateway the reminder would come too late.
      uselessAfterSeconds: reminder === 1 ? daySeconds : 3 * daySeconds,
    })
  })
}
