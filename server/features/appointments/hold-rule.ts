import { type ApplicationEvent, mayChangeAppointment, nextState } from '#contract/states.ts'
import type { AppointmentRow, BookingApplication } from './appointment-rows.ts'

export type HoldResult =
  | { kind: 'held'; id: string }
  /** The office does not offer the time: its calendar in the tables differs from that of the `HoldRequest`. */
  | { kind: 'outdated' }
  /**
   * A place is free, but the applicant has no such application, the application is in none of the `states` of the
   * `HoldRequest`, its appointment is not the one that the request would replace, or it has used all changes.
   */
  | { kind: 'not-allowed' }
  /** `seats`: number of place rows of the slot, reserved or free. Without a free place the application was not checked. */
  | { kind: 'full'; seats: number }

/** What the statement of `holdPlace` returns. */
export type HoldOutcome = {
  id: string | null
  offered: boolean
  available: boolean
  allowed: boolean
  seats: number | null
}

export function holdResult(outcome: HoldOutcome | undefined): HoldResult {
  if (outcome?.id) return { kind: 'held', id: outcome.id }
  if (!outcome?.offered) return { kind: 'outdated' }
  if (outcome.available && !outcome.allowed) return { kind: 'not-allowed' }
  return { kind: 'full', seats: outcome.seats ?? 0 }
}

/** Whether the appointment is a hold that has not expired. */
export function isLiveHold({ state, secondsLeft }: Pick<AppointmentRow, 'state' | 'secondsLeft'>): boolean {
  return state === 'HELD' && secondsLeft !== null && secondsLeft > 0
}

export const bookingEvents = [
  'appointment-confirmed',
  'appointment-changed',
] as const satisfies readonly ApplicationEvent[]

/**
 * Why the statement of `confirm` did not confirm a reservation. `confirmed`: an earlier call did. `expired`: the
 * reservation has expired or was cancelled, or it was confirmed and then replaced, cancelled or missed.
 */
export type Unconfirmed = 'confirmed' | 'expired' | 'wrong-state' | 'change-refused'

export function judgeUnconfirmed(found: AppointmentRow, changeLimit: number): Unconfirmed {
  const { applicationState, changesUsed } = found
  if (found.state === 'CONFIRMED') return 'confirmed'
  if (!isLiveHold(found)) return 'expired'
  if (!bookingEvents.some(event => nextState(applicationState, event) !== undefined)) return 'wrong-state'
  return mayChangeAppointment(applicationState) && changesUsed >= changeLimit ? 'change-refused' : 'expired'
}

/** The time that a reservation is for, and the appointment that it would replace. */
export type WantedTime = {
  office?: { id: number } | undefined
  /** Null: the general queue. */
  startsAt?: string | null | undefined
  replaces?: Pick<AppointmentRow, 'id' | 'officeId' | 'startsAt'> | undefined
}

/** Whether the application has this reservation already: a second tap repeats the first answer. */
export function isSameHold(
  hold: BookingApplication['hold'],
  { office, startsAt, replaces }: WantedTime,
): hold is NonNullable<typeof hold> {
  return (
    hold !== undefined &&
    hold.officeId === office?.id &&
    hold.startsAt === startsAt &&
    hold.replaces === (replaces?.id ?? null)
  )
}

/** Whether a change wants the time that the appointment has already. */
export function isReplacedTime({ replaces, office, startsAt }: WantedTime): boolean {
  return replaces !== undefined && replaces.officeId === office?.id && replaces.startsAt === startsAt
}
