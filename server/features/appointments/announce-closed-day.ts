import type { Transaction } from 'kysely'
import { showDate } from '#contract/dates.ts'
import type { Schema } from '#server/database/schema.ts'
import { notifyApplicant } from '#server/features/messages/notify-applicant.ts'
import { translateTo } from '#server/i18n/translate.ts'
import type { AppointmentRow } from './appointment-rows.ts'
import { describeOffice } from './read-appointment.ts'

/** Notifies the applicant by SMS and e-mail, in the transaction that cancels the appointment. */
export async function announceClosedDay(
  trx: Transaction<Schema>,
  { id, applicationId, officeId, startsAt }: AppointmentRow,
): Promise<void> {
  const application = await trx
    .selectFrom('application')
    .select(['number', 'language', 'data', 'applicant_id'])
    .where('id', '=', applicationId)
    .executeTakeFirstOrThrow()
  const { number, language } = application
  const { nameOffice: office } = await describeOffice(trx, officeId, language)
  const t = translateTo(language)
  const values = { number, office, day: showDate(startsAt ?? '') }
  await notifyApplicant(trx, application, {
    key: `day-closed:${id}`,
    kind: 'day-closed',
    sms: t('closedDay.text', values),
    mail: { subject: t('closedDay.subject', values), text: t('closedDay.text', values) },
  })
}
