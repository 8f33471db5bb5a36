import type { Transaction } from 'kysely'
import { appointmentParts } from '#contract/appointment.ts'
import { showDate } from '#contract/dates.ts'
import type { Schema } from '#server/database/schema.ts'
import { notifyApplicant } from '#server/features/messages/notify-applicant.ts'
import { translateTo } from '#server/i18n/translate.ts'
import type { AppointmentRow } from './appointment-rows.ts'
import { describeOffice } from './read-appointment.ts'

/**
 * Notifies the applicant by SMS and by e-mail with the receipt, in the transaction that confirms the appointment, so
 * that no message is lost or stored twice. The outbox prints the receipt when it sends the e-mail: the confirmation
 * does not wait for the PDF.
 */
export async function notifyApplicantOfConfirmation(
  trx: Transaction<Schema>,
  appointment: AppointmentRow,
): Promise<void> {
  const application = await trx
    .selectFrom('application')
    .select(['id', 'number', 'language', 'applicant_id'])
    .where('id', '=', appointment.applicationId)
    .executeTakeFirstOrThrow()
  const { language, number } = application
  const t = translateTo(language)
  const office = await describeOffice(trx, appointment.officeId, language)
  const { startsAt } = appointment
  const values = { number, office: office.nameOffice, when: startsAt === null ? '' : showDateTime(startsAt) }
  const sms = startsAt === null ? t('confirmation.sms.generalQueue', values) : t('confirmation.sms', values)
  const mail =
    startsAt === null ? t('confirmation.mail.generalQueue', values) : t('confirmation.mail', values)
  const kind = 'appointment-confirmed'
  await notifyApplicant(trx, application, {
    key: `${kind}:${appointment.id}`,
    kind,
    sms,
    mail: {
      subject: t('confirmation.subject', values),
      text: mail,
      receiptOf: application.id,
    },
  })
}

function showDateTime(startsAt: string): string {
  return `${showDate(startsAt)} ${appointmentParts(startsAt).time}`
}
