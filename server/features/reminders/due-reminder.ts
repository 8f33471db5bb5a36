import { hoursAfter, localDateTime } from '#server/features/offices/calendar.ts'

/** Days before the appointment. */
export const reminderDays = [7, 1] as const
export type Reminder = (typeof reminderDays)[number]

export type BookedTime = {
  /** On the office's clock, as `timeZone` has it. */
  startsAt: string
  timeZone: string
  confirmedAt: Date
}

/**
 * The reminder that is to be sent now: at the hour of the appointment itself, so in the daytime of its office. Whoever
 * booked later than that has just been told.
 */
export function dueReminder(
  { startsAt, timeZone, confirmedAt }: BookedTime,
  now: Date,
): Reminder | undefined {
  if (localDateTime(timeZone, now) >= startsAt) return undefined
  const isWithin = (instant: Date, days: number) =>
    localDateTime(timeZone, hoursAfter(instant, days * 24)) >= startsAt
  const due = reminderDays.findLast(days => isWithin(now, days))
  return due !== undefined && !isWithin(confirmedAt, due) ? due : undefined
}
