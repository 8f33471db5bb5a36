import type { ChangeRefusal } from '#contract/appointment.ts'
import { type ApplicationState, mayChangeAppointment } from '#contract/states.ts'
import { hoursAfter, localDateTime } from '#server/features/offices/calendar.ts'

/** What the change rule reads: an appointment, or a hold, and the changes that its application has used. */
export type BookedAppointment = {
  applicationState: ApplicationState
  changesUsed: number
  /** Office-local, `2026-12-01T09:30:00`; null in the general queue. */
  startsAt: string | null
  timeZone: string
}

/** An appointment that starts in less than this number of hours cannot be changed. */
const lastChangeHours = 24

type ChangeRule = { changeLimit: number; now: Date }

/** Whether a booked appointment may still be changed (D43, APT24). */
export function mayChange(booked: BookedAppointment, rule: ChangeRule): boolean {
  return changeRefusal(booked, rule) === undefined
}

/** Why a booked appointment cannot be changed; undefined when it can. */
export function changeRefusal(booked: BookedAppointment, rule: ChangeRule): ChangeRefusal | undefined {
  if (!mayChangeAppointment(booked.applicationState)) return 'state'
  const earliest = changeableFrom(booked, rule)
  if (earliest === null) return 'limit'
  return booked.startsAt === null || earliest <= booked.startsAt ? undefined : 'time'
}

/**
 * Returns the earliest office-local start at which an appointment can still be changed. Null when the application has
 * used all its changes.
 */
export function changeableFrom(
  { changesUsed, timeZone }: Pick<BookedAppointment, 'changesUsed' | 'timeZone'>,
  { changeLimit, now }: ChangeRule,
): string | null {
  return changesUsed < changeLimit ? localDateTime(timeZone, hoursAfter(now, lastChangeHours)) : null
}

/**
 * Whether the appointment has started: then neither a closed day nor the event `failed` ends it, and the office may
 * record a no-show. False in the general queue.
 */
export function hasBegun({ startsAt, timeZone }: BookedAppointment, now: Date): boolean {
  return startsAt !== null && startsAt <= localDateTime(timeZone, now)
}
