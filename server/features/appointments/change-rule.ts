import { type ApplicationState, mayChangeAppointment } from '#contract/states.ts'
import { hoursAfter, localDateTime } from '#server/features/offices/calendar.ts'

/** A booked appointment and what its application has used up. */
export type BookedAppointment = {
  applicationState: ApplicationState
  changesUsed: number
  /** Office-local; null in the general queue. */
  startsAt: string | null
  timeZone: string
}

/** Nearer to the appointment it stays as it is. */
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

/** An appointment that has begun was kept or missed; nobody ends it any more. */
export function hasBegun({ startsAt, timeZone }: BookedAppointment, now: Date): boolean {
  return startsAt !== null && startsAt <= localDateTime(timeZone, now)
}
