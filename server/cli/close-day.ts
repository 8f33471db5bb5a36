import { isCalendarDate } from '#contract/dates.ts'
import { cancelDay, closeDay as closeCalendarDay } from '#server/features/appointments/closed-days.ts'
import { localDateTime } from '#server/features/offices/calendar.ts'
import { type ListedOffice, chooseOffices, listOffices, unknownOfficeFault } from './choose-offices.ts'
import { type Command, pluralise, type CommandContext, done, failed } from './command.ts'

export const closeDayCommand: Command = {
  name: 'close-day',
  usage: 'OFFICE DATE [--reason TEXT]',
  operands: [2, 2],
  summary: 'Closes a day: cancels its bookings and notifies the applicants',
  help: [
    'OFFICE is the id of an office, or the two letters of a country, which mean all its active offices.',
    'Applicants get a message and choose another appointment without paying again.',
    'The command also ends the reservations of that day that no applicant has confirmed yet.',
    'On a day that has begun, only later appointments are cancelled.',
    'Closing a day again cancels only what was booked or reserved since, and keeps the first reason.',
    'The server sends the messages, at its next start if it is stopped.',
    'TEXT is stored with the closed day, for the office; applicants do not see it.',
  ],
  options: { reason: { type: 'string' } },
  async run(context, { operands: [officeText = '', day = ''], options }) {
    if (!isCalendarDate(day)) return failed(`"${day}" is not a date such as 2026-12-25.`)
    const offices = chooseOffices(await listOffices(context.trx), officeText)
    if (offices.length === 0) return failed(`"${officeText}": ${unknownOfficeFault}.`)
    const past = offices.find(({ timeZone }) => day < localDateTime(timeZone, context.now).slice(0, 10))
    if (past !== undefined) return failed(`${day} is over at office ${past.id}.`)
    const lines: string[] = []
    const reason = typeof options['reason'] === 'string' ? options['reason'] : ''
    for (const office of offices) lines.push(await closeAt(context, office, { day, reason }))
    return done(...lines)
  },
}

async function closeAt(
  { trx, now }: CommandContext,
  { id: officeId, name }: ListedOffice,
  { day, reason }: { day: string; reason: string },
): Promise<string> {
  await closeCalendarDay(trx, { officeId, day, reason })
  const { cancelledBookings, endedReservations } = await cancelDay(trx, { officeId, day, now })
  const ended = `${pluralise(cancelledBookings, 'booking')} cancelled, ${pluralise(endedReservations, 'reservation')} ended`
  return `Office ${officeId} (${name}) is closed on ${day}: ${ended}.`
}
