import type { Transaction } from 'kysely'
import { appointmentParts } from '#contract/appointment.ts'
import { showDate } from '#contract/dates.ts'
import type { Schema } from '#server/database/schema.ts'
import { notifyApplicant } from '#server/features/messages/notify-applicant.ts'
import { translateTo } from '#server/i18n/translate.ts'
import type { AppointmentRow } from './appointment-rows.ts'
import { describeOffice } from './read-appointment.ts'

/**
 * Tells the applicant by SMS and by e-mail, the receipt with it. The messages are part of the confirmation: they exist
 * when it does, and once. The receipt is printed when the e-mail is sent, so that nothing waits for it here.
 */
export async function announceConfirmation(
  trx: Transaction<Schema>,
  appointment: AppointmentRow,
): Promise<void> {
  const application = await trx
    .selectFrom('application')
    .select(['id', 'number', 'language', 'data', 'applicant_id'])
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
    sms: toShortMessage(sms),
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

/** Names of offices hold letters that would make three messages of one (GSM-7 has é, but no ê): they lose their accents. */
function toShortMessage(text: string): string {
  return Array.from(text.normalize('NFC').replaceAll('’', "'"), letter =>
    inShortMessages.test(letter) ? letter : letter.normalize('NFD').replaceAll(/[^ -~]/g, ''),
  ).join('')
}

const inShortMessages = /[ -~\nàèéìòùÇÉ]/
