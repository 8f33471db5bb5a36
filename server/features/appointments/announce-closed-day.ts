import type { Transaction } from 'kysely'
import { showDate } from '#contract/dates.ts'
import type { Schema } from '#server/database/schema.ts'
import { tellApplicant } from '#server/features/tell-applicant.ts'
import { closedDayNotices } from '#server/words/closed-day-words.ts'
import type { AppointmentRow } from './appointment-rows.ts'
import { describeOffice } from './read-appointment.ts'

/** By SMS and by e-mail; part of the cancellation. */
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
  const { subject, text } = closedDayNotices[language]
  const facts = { number, office, day: showDate(startsAt ?? '') }
  await tellApplicant(trx, application, {
    key: `day-closed:${id}`,
    kind: 'day-closed',
    sms: text(facts),
    mail: { subject: subject(facts), text: text(facts) },
  })
}
