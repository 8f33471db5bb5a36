import type { ApplicationState } from '#contract/states.ts'
import { dayNumber, daysAfter } from './day-count.ts'

/** Why an application is deleted: never paid for, or paid for and never brought to an office. */
export type DeletionCause = 'unpaid' | 'never-enrolled'
export type Deletion = { cause: DeletionCause; day: string }

/** The applicant is warned so many days before (F12). */
export const warningDays = [14, 3, 1] as const
export type Warning = (typeof warningDays)[number]

const firstWarningDays = warningDays[0]
const unpaidDays = 30
const neverEnrolledDays = 365

/** Days are `YYYY-MM-DD` in the home zone, an appointment's on its office's clock. */
export type DeletionFacts = {
  state: ApplicationState
  createdOn: string
  paidOn: string | undefined
  /** Of the appointment that is booked. */
  appointmentOn: string | undefined
  announced: (Deletion & { warned: number }) | undefined
}

/**
 * When an application is deleted if its applicant does nothing. Nobody is surprised: a day that was announced is not
 * moved forward, and one that nobody announced in time moves back until there is time for every warning.
 */
export function planDeletion(facts: DeletionFacts, today: string): Deletion | undefined {
  const cause = causeIn(facts.state)
  if (cause === undefined) return undefined
  const due = dueDay(facts, cause)
  const { announced } = facts
  if (announced?.cause === cause && announced.day >= due) return { cause, day: announced.day }
  return { cause, day: laterDay(due, daysAfter(today, firstWarningDays)) }
}

export type DeletionStep =
  | { kind: 'wait' }
  | ({ kind: 'warn'; warning: Warning } & Deletion)
  /** All three warnings were given. */
  | { kind: 'delete' }

/** What is to be done today. */
export function nextDeletionStep(facts: DeletionFacts, today: string): DeletionStep {
  const plan = planDeletion(facts, today)
  if (plan === undefined) return { kind: 'wait' }
  const { announced } = facts
  const said = announced?.day === plan.day && announced.cause === plan.cause ? announced.warned : undefined
  const daysLeft = dayNumber(plan.day) - dayNumber(today)
  if (daysLeft > firstWarningDays) return { kind: 'wait' }
  if (daysLeft <= 0 && said === 1) return { kind: 'delete' }
  // The warnings were held up until the day itself: it is tomorrow then.
  const day = daysLeft <= 0 ? daysAfter(today, 1) : plan.day
  const warning = warningDays.findLast(each => daysLeft <= each) ?? firstWarningDays
  return said === undefined || warning < said
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
  if (cause === 'unpaid') return daysAfter(createdOn, unpaidDays)
  const year = daysAfter(paidOn ?? createdOn, neverEnrolledDays)
  // Whoever has an appointment is awaited, and the office has the time to say who came.
  return appointmentOn === undefined ? year : laterDay(year, daysAfter(appointmentOn, firstWarningDays))
}

function laterDay(one: string, other: string): string {
  return one > other ? one : other
}
