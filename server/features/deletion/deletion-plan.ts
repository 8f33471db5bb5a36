import { keptDays } from '#contract/retention.ts'
import type { ApplicationState } from '#contract/states.ts'

/** Why an application is deleted: never paid, or paid without an enrolment at an office. */
type DeletionCause = 'unpaid' | 'never-enrolled'
/** `day`: `YYYY-MM-DD`. */
export type Deletion = { cause: DeletionCause; day: string }

/** Days before the deletion on which the applicant is warned (F12). */
const warningDays = [14, 3, 1] as const
type Warning = (typeof warningDays)[number]

const firstWarningDays = warningDays[0]
/** Days after the appointment in which the office can report who came. */
const reportDays = 14
const dayMs = 86_400_000

/** Days are `YYYY-MM-DD` in the home time zone; that of an appointment is in the time zone of its office. */
export type DeletionFacts = {
  state: ApplicationState
  createdOn: string
  paidOn: string | undefined
  /** Day of the confirmed appointment. */
  appointmentOn: string | undefined
  /** `lastWarning`: which of `warningDays` was stored last. */
  announcedDeletion: (Deletion & { lastWarning: number }) | undefined
}

/**
 * Returns why and on which day an application is deleted if its applicant does nothing; undefined when its state excludes
 * this. An announced day never becomes earlier; `advanceState` and `confirm` withdraw the announcement. A day that was not
 * announced in time is postponed, so that there is time for the warnings.
 */
export function planDeletion(facts: DeletionFacts, today: string): Deletion | undefined {
  const cause = causeIn(facts.state)
  if (cause === undefined) return undefined
  const due = dueDay(facts, cause)
  const { announcedDeletion } = facts
  if (announcedDeletion?.cause === cause && announcedDeletion.day >= due)
    return { cause, day: announcedDeletion.day }
  return { cause, day: laterDay(due, daysAfter(today, firstWarningDays)) }
}

export type DeletionStep =
  | { kind: 'wait' }
  | ({ kind: 'warn'; warning: Warning } & Deletion)
  /** The last warning was stored, and the day of the deletion has come. */
  | { kind: 'delete' }

/** Returns the step that is due on `today`. */
export function nextDeletionStep(facts: DeletionFacts, today: string): DeletionStep {
  const plan = planDeletion(facts, today)
  if (plan === undefined) return { kind: 'wait' }
  const { announcedDeletion } = facts
  const lastWarning =
    announcedDeletion?.day === plan.day && announcedDeletion.cause === plan.cause
      ? announcedDeletion.lastWarning
      : undefined
  const daysLeft = dayNumber(plan.day) - dayNumber(today)
  if (daysLeft > firstWarningDays) return { kind: 'wait' }
  if (daysLeft <= 0 && lastWarning === 1) return { kind: 'delete' }
  // The day of the deletion has come without the last warning: warn today and postpone the deletion to tomorrow.
  const day = daysLeft <= 0 ? daysAfter(today, 1) : plan.day
  const warning = warningDays.findLast(each => daysLeft <= each) ?? firstWarningDays
  return lastWarning === undefined || warning < lastWarning
    ? { kind: 'warn', warning, cause: plan.cause, day }
    : { kind: 'wait' }
}

function causeIn(state: ApplicationState): DeletionCause | undefined {
  switch (state) {
    case 'NEW':
    case 'DATA_SAVED':
      return 'unpaid'
    case 'PAYMENT_DONE':
    case 'APPOINTMENT_SCHEDULED':
    case 'APPOINTMENT_CHANGED':
    case 'APPOINTMENT_CANCELED':
    case 'READY_TO_RESCHEDULE':
      return 'never-enrolled'
    case 'READY_FOR_CM':
    case 'SENT_TO_CM':
    case 'FAILED':
    case 'DELETED':
      return undefined
  }
}

function dueDay({ createdOn, paidOn, appointmentOn }: DeletionFacts, cause: DeletionCause): string {
  if (cause === 'unpaid') return daysAfter(createdOn, keptDays.unpaid)
  const keptUntil = daysAfter(paidOn ?? createdOn, keptDays.neverEnrolled)
  return appointmentOn === undefined ? keptUntil : laterDay(keptUntil, daysAfter(appointmentOn, reportDays))
}

function laterDay(one: string, other: string): string {
  return one > other ? one : other
}

/** Adds calendar days to `YYYY-MM-DD`. */
export function daysAfter(day: string, count: number): string {
  return new Date((dayNumber(day) + count) * dayMs).toISOString().slice(0, 10)
}

/** Days since 1970-01-01. A date without a time is in UTC, where no clock change makes a day longer or shorter. */
function dayNumber(day: string): number {
  return Date.parse(day) / dayMs
}
