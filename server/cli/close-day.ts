import { isCalendarDate } from '#contract/dates.ts'
import {
  cancelDay,
  cancelDayInBatches,
  closeDay as closeDayAtOffice,
  type OfficeDay,
} from '#server/features/appointments/closed-days.ts'
import { localDateTime } from '#server/features/offices/calendar.ts'
import { type ListedOffice, chooseOffices, listOffices, unknownOfficeFault } from './choose-offices.ts'
import {
  type Command,
  type CommandArguments,
  type CommandContext,
  done,
  refused,
  type Outcome,
  pluralise,
  type Refused,
} from './command.ts'

export const closeDayCommand: Command = {
  name: 'close-day',
  usage: 'OFFICE DATE',
  operands: [2, 2],
  summary: 'Closes a day: cancels its bookings and notifies the applicants',
  help: [
    'OFFICE is the id of an office, or the two letters of a country for all its active offices.',
    'Applicants get a message and choose another appointment without paying again.',
    'The command also ends the reservations of that day that no applicant has confirmed yet.',
    'On a day that has begun, only later appointments are cancelled.',
    'Closing a day again cancels only what was booked or reserved since, and keeps the first reason.',
    'The server sends the messages, at its next start if it is stopped.',
    'The reason is stored in the record of the run and with the closed day; applicants do not see it.',
    'The day is closed at once; its bookings are cancelled in batches. The servers finish a command that was stopped.',
  ],
  options: {},
  isRecorded: true,
  async run(context, given) {
    const closed = await closeDayAtOffices(context, given)
    return cancelAll(closed, day => cancelDay(context.trx, { ...day, now: context.now }))
  },
  async runInSteps({ db, record, ...context }, given) {
    const closed = await db.transaction().execute(async trx => {
      const outcome = await closeDayAtOffices({ ...context, trx }, given)
      if (outcome.kind === 'closed') await record(trx, aboutOf(outcome))
      return outcome
    })
    return cancelAll(closed, day => cancelDayInBatches(db, { ...day, now: context.now }))
  },
}

/** `closedBefore`: the ids of the offices at which the day was closed already, which keep their first reason. */
type ClosedDay = { kind: 'closed'; offices: ListedOffice[]; day: string; closedBefore: readonly number[] }

async function cancelAll(
  closed: ClosedDay | Refused,
  cancel: (day: OfficeDay) => ReturnType<typeof cancelDay>,
): Promise<Outcome> {
  if (closed.kind === 'refused') return closed
  const lines: string[] = []
  for (const office of closed.offices) {
    const { cancelledBookings, endedReservations } = await cancel({ officeId: office.id, day: closed.day })
    const ended = `${pluralise(cancelledBookings, 'booking')} cancelled, ${pluralise(endedReservations, 'reservation')} ended`
    const kept = closed.closedBefore.includes(office.id)
      ? ' It was closed already and keeps its first reason.'
      : ''
    lines.push(`Office ${office.id} (${office.name}) is closed on ${closed.day}: ${ended}.${kept}`)
  }
  return { ...done(...lines), about: aboutOf(closed) }
}

function aboutOf({ day, offices }: ClosedDay): string[] {
  return [day, ...offices.map(({ id }) => `office ${id}`)]
}

/**
 * Closes the day in the calendar of each office, so that no new booking of it begins. The job `emptyClosedDays` cancels a
 * booking that was made at the same moment.
 */
async function closeDayAtOffices(
  { trx, now }: CommandContext,
  { operands: [officeText = '', day = ''], options }: CommandArguments,
): Promise<ClosedDay | Refused> {
  if (!isCalendarDate(day)) return refused(`"${day}" is not a date such as 2026-12-25.`)
  const offices = chooseOffices(await listOffices(trx), officeText)
  if (offices.length === 0) return refused(`"${officeText}": ${unknownOfficeFault}.`)
  const past = offices.find(({ timeZone }) => day < localDateTime(timeZone, now).slice(0, 10))
  if (past !== undefined) return refused(`${day} is over at office ${past.id}.`)
  const reason = typeof options['reason'] === 'string' ? options['reason'] : ''
  const closedBefore: number[] = []
  for (const { id: officeId } of offices)
    if (!(await closeDayAtOffice(trx, { officeId, day, reason }))) closedBefore.push(officeId)
  return { kind: 'closed', offices, day, closedBefore }
}
