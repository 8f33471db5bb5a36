import type { Transaction } from 'kysely'
import { showDate } from '#contract/dates.ts'
import type { Schema } from '#server/database/schema.ts'
import { formContacts } from '#server/features/applications/own-application.ts'
import { describeOffice } from '#server/features/appointments/read-appointment.ts'
import { enqueue } from '#server/features/messages/outbox.ts'
import { translateTo } from '#server/i18n/translate.ts'

/** After an hour the place has probably been booked by another applicant. */
const uselessAfterSeconds = 3_600

type FreeDayNews = {
  id: string
  application_id: string
  office_id: number
  notificationCount: number
  day: string
}

/** Notifies by SMS, which is read at once; by e-mail when the form names no phone number. */
export async function announceFreeDay(trx: Transaction<Schema>, news: FreeDayNews): Promise<void> {
  const application = await trx
    .selectFrom('application')
    .select(['applicant_id', 'number', 'language', 'data'])
    .where('id', '=', news.application_id)
    .executeTakeFirstOrThrow()
  const { number, language } = application
  const { nameOffice: office } = await describeOffice(trx, news.office_id, language)
  const t = translateTo(language)
  const values = { number, office, day: showDate(news.day) }
  const { phone, email } = formContacts(application)
  if (phone === '' && email === '') return
  await enqueue(trx, {
    key: `watch:${news.id}:${news.notificationCount}`,
    kind: 'watch',
    channel: phone === '' ? 'email' : 'sms',
    recipient: phone === '' ? email : phone,
    applicantId: application.applicant_id,
    message: { subject: phone === '' ? t('freeDay.subject', values) : '', text: t('freeDay.text', values) },
    uselessAfterSeconds,
  })
}
