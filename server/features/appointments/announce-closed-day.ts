import type { Transaction } from 'kysely'
import { showDate } from '#contract/dates.ts'
import type { Schema } from '#server/database/schema.ts'
import { formContacts } from '#server/features/applications/form-contacts.ts'
import { enqueue } from '#server/features/outbox.ts'
import { closedDayNotices } from '#server/words/closed-day-words.ts'
import type { AppointmentRow } from './appointment-rows.ts'
import { describeOffice } from './read-appointment.ts'

/** By SMS and by e-mail, as far as the application names a number and an address; part of the cancellation. */
export async function announceClosedDay(
  trx: Transaction<Schema>,
  { id, applicationId, officeId, startsAt }: AppointmentRow,
): Promise<void> {
  const application = await trx
    .selectFrom('application')
    .select(['number', 'language', 'data'])
    .where('id', '=', applicationId)
    .executeTakeFirstOrThrow()
  const { number, language } = application
  const { nameOffice: office } = await describeOffice(trx, officeId, language)
  const { subject, text } = closedDayNotices[language]
  const facts = { number, office, day: showDate(startsAt ?? '') }
  const { phone, email } = formContacts(application)
  const notices = [
    { channel: 'sms', recipient: phone, message: { subject: '', text: text(facts) } },
    { channel: 'email', recipient: email, message: { subject: subject(facts), text: text(facts) } },
  ] as const
  for (const notice of notices.filter(({ recipient }) => recipient !== ''))
    await enqueue(trx, { key: `day-closed:${id}:${notice.channel}`, kind: 'day-closed', ...notice })
}
