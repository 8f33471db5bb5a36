import { hoursAfter, localDateTime } from '#server/features/offices/calendar.ts'

/**
 * Days before the appointment, the first reminder first. The last number is also in the condition of the index
 * `open_reminders`.
 */
export const reminderDays = [7, 1] as const
/** Names a reminder by its days before the appointment. */
export type Reminder = (typeof reminderDays)[number]

export type BookedTime = {
  /** Office-local, `2026-12-01T09:30:00`. */
  startsAt: string
  timeZone: string
  confirmedAt: Date
}

/**
 * Returns the latest reminder that is due by now, sent or not; undefined when none is, or when the appointment has
 * begun. Reminders are due at the hour of the appointment, so in the office's daytime. An applicant who booked after a
 * reminder was due does not get that reminder: the confirmation was sent at that time.
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
