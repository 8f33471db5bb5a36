import { type ApplicationState, mayChangeAppointment } from '#contract/states.ts'
import { hoursAfter, localDateTime } from '#server/features/offices/calendar.ts'

/** A booked appointment, with the changes that its application has used. */
export type BookedAppointment = {
  applicationState: ApplicationState
  changesUsed: number
  /** Office-local, `2026-12-01T09:30:00`; null in the general queue. */
  startsAt: string | null
  timeZone: string
}

/** An appointment cannot be changed later than this before it starts. */
const lastChangeHours = 24

/** Whether a booked appointment may still be changed (D43, APT24). */
export function mayChange(
  booked: BookedAppointment,
  { changeLimit, now }: { changeLimit: number; now: Date },
): boolean {
  if (!mayChangeAppointment(booked.applicationState) || booked.changesUsed >= changeLimit) return false
  if (booked.startsAt === null) return true
  return localDateTime(booked.timeZone, hoursAfter(now, lastChangeHours)) <= booked.startsAt
}

/** Whether the appointment has started: then no job and no office cancels it. False in the general queue. */
export function hasBegun({ startsAt, timeZone }: BookedAppointment, now: Date): boolean {
  return startsAt !== null && startsAt <= localDateTime(timeZone, now)
}
