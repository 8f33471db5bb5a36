import type { Transaction } from 'kysely'
import { showDate } from '#contract/dates.ts'
import type { Schema } from '#server/database/schema.ts'
import { describeOffice } from '#server/features/appointments/read-appointment.ts'
import { enqueue } from '#server/features/messages/outbox.ts'
import { translateTo } from '#server/i18n/translate.ts'

/** After an hour the place has probably been booked by another applicant. */
const uselessAfterSeconds = 3_600

type FreeDayNews = {
  id: string
  application_id: string
  office_id: number
  /** How many notifications this watch has had, with this one. */
  notificationCount: number
  day: string
}

/** Notifies by SMS, which is read at once; by e-mail when the applicant has proven no phone number (D109). */
export async function notifyApplicantOfFreeDay(trx: Transaction<Schema>, news: FreeDayNews): Promise<void> {
  const application = await trx
    .selectFrom('application')
    .select(['number', 'language', 'applicant_id'])
    .where('id', '=', news.application_id)
    .executeTakeFirstOrThrow()
  const { number, language } = application
  const { nameOffice: office } = await describeOffice(trx, news.office_id, language)
  const t = translateTo(language)
  const values = { number, office, day: showDate(news.day) }
  const contacts = await trx
    .selectFrom('contact')
    .select(['kind', 'value'])
    .where('applicant_id', '=', application.applicant_id)
    .execute()
  const phone = contacts.find(({ kind }) => kind === 'phone')
  const contact = phone ?? contacts[0]
  if (contact === undefined) return
  await enqueue(trx, {
    // With the day: after a restore a count may be used again, and a gateway would take the message for a repeat.
    key: `watch:${news.id}:${news.notificationCount}:${news.day}`,
    kind: 'watch',
    channel: phone ? 'sms' : 'email',
    recipient: contact.value,
    applicantId: application.applicant_id,
    message: { subject: phone ? '' : t('freeDay.subject', values), text: t('freeDay.text', values) },
    uselessAfterSeconds,
  })
}
