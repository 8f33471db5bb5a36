import type { Transaction } from 'kysely'
import { showDate } from '#contract/dates.ts'
import type { Schema } from '#server/database/schema.ts'
import { notifyApplicant } from '#server/features/messages/notify-applicant.ts'
import { translateTo } from '#server/i18n/translate.ts'
import type { AppointmentRow } from './appointment-rows.ts'
import { describeOffice } from './read-appointment.ts'

/** Notifies the applicant by SMS and e-mail, in the transaction that ends the appointment. */
export async function notifyApplicantOfLostAppointment(
  trx: Transaction<Schema>,
  { id, applicationId, officeId, startsAt }: AppointmentRow,
  cause: keyof typeof texts,
): Promise<void> {
  const { subject, text } = texts[cause]
  const application = await trx
    .selectFrom('application')
    .select(['number', 'language', 'applicant_id'])
    .where('id', '=', applicationId)
    .executeTakeFirstOrThrow()
  const { number, language } = application
  const { nameOffice: office } = await describeOffice(trx, officeId, language)
  const t = translateTo(language)
  const values = { number, office, day: showDate(startsAt ?? '') }
  await notifyApplicant(trx, application, {
    key: `${cause}:${id}`,
    kind: cause,
    sms: t(text, values),
    mail: { subject: t(subject, values), text: t(text, values) },
  })
}

const texts = {
  'day-closed': { subject: 'closedDay.subject', text: 'closedDay.text' },
  'no-show': { subject: 'noShow.subject', text: 'noShow.text' },
} as const
