/**
 * All states of an application. STA01–STA08 say how the portal names them, STA09 in which order they follow. In
 * `READY_FOR_CM` and `SENT_TO_CM` the enrolment at the office is done.
 */
export const applicationStates = [
  'NEW',
  'DATA_SAVED',
  'PAYMENT_DONE',
  'APPOINTMENT_SCHEDULED',
  'READY_FOR_CM',
  'SENT_TO_CM',
  'APPOINTMENT_CHANGED',
  'APPOINTMENT_CANCELED',
  'READY_TO_RESCHEDULE',
  'FAILED',
  'DELETED',
] as const
export type ApplicationState = (typeof applicationStates)[number]

export function isApplicationState(value: string): value is ApplicationState {
  return applicationStates.some(state => state === value)
}

/**
 * Events that change the state of an application. An operator's command causes `day-closed`, `made-ready`, `no-show`,
 * `sent` and `failed`. `deleted`: the applicant deletes the application, only in the states of `mayDelete`, or the server
 * deletes it because it was not paid in time, or the applicant was not enrolled at an office in time (D40).
 */
export type ApplicationEvent =
  | 'data-confirmed'
  | 'payment-succeeded'
  | 'appointment-confirmed'
  | 'appointment-changed'
  | 'appointment-canceled'
  | 'day-closed'
  | 'made-ready'
  | 'no-show'
  | 'sent'
  | 'failed'
  | 'deleted'

const withAppointment = {
  'appointment-changed': 'APPOINTMENT_CHANGED',
  'appointment-canceled': 'APPOINTMENT_CANCELED',
  'day-closed': 'APPOINTMENT_CANCELED',
  'made-ready': 'READY_FOR_CM',
  'no-show': 'READY_TO_RESCHEDULE',
  failed: 'FAILED',
  deleted: 'DELETED',
} as const

/** Paid, and without an appointment: none was booked yet, or it was cancelled or missed. */
const withoutAppointment = {
  'appointment-confirmed': 'APPOINTMENT_SCHEDULED',
  failed: 'FAILED',
  deleted: 'DELETED',
} as const

/** All transitions (D40). The server answers a call for any other transition with 409. */
const transitions: Record<ApplicationState, Partial<Record<ApplicationEvent, ApplicationState>>> = {
  NEW: { 'data-confirmed': 'DATA_SAVED', deleted: 'DELETED' },
  DATA_SAVED: { 'data-confirmed': 'DATA_SAVED', 'payment-succeeded': 'PAYMENT_DONE', deleted: 'DELETED' },
  PAYMENT_DONE: withoutAppointment,
  APPOINTMENT_SCHEDULED: withAppointment,
  APPOINTMENT_CHANGED: withAppointment,
  APPOINTMENT_CANCELED: withoutAppointment,
  READY_TO_RESCHEDULE: withoutAppointment,
  READY_FOR_CM: { sent: 'SENT_TO_CM', failed: 'FAILED' },
  SENT_TO_CM: { failed: 'FAILED' },
  FAILED: {},
  DELETED: {},
}

/** Returns the state after an event; undefined when the event is not allowed in this state. */
export function nextState(state: ApplicationState, event: ApplicationEvent): ApplicationState | undefined {
  return transitions[state][event]
}

/** Returns the states that allow an event, for the condition of an SQL statement. */
export function statesBefore(event: ApplicationEvent): ApplicationState[] {
  return applicationStates.filter(state => transitions[state][event] !== undefined)
}

/** In the `features` of `/version`: the applicant can delete an application in the state NEW (D5, LST10). */
export const deleteApplicationFeature = 'deleteApplication'

/** True when the applicant may delete the application: its data is not confirmed yet, so it cannot be paid (LST10). */
export function mayDelete(state: string): boolean {
  return state === 'NEW'
}

/** While an applicant has an open application, neither the portal nor the server starts another one (LST07). */
export function isOpen(state: string): boolean {
  return state === 'NEW' || state === 'DATA_SAVED'
}

export type JourneyScreen = 'form' | 'confirm' | 'payment' | 'appointment' | 'schedule' | 'final'
export type Destination = 'form' | 'payment' | 'appointment' | 'final' | 'none'

/** The screen that a card of the list opens (LST03–LST06). A card with 'none' has no link (S48). */
const destinations = {
  NEW: 'form',
  DATA_SAVED: 'payment',
  PAYMENT_DONE: 'appointment',
  APPOINTMENT_CANCELED: 'appointment',
  READY_TO_RESCHEDULE: 'appointment',
  APPOINTMENT_SCHEDULED: 'final',
  READY_FOR_CM: 'final',
  SENT_TO_CM: 'final',
  APPOINTMENT_CHANGED: 'final',
  FAILED: 'none',
  DELETED: 'none',
} as const satisfies Record<ApplicationState, Destination>

export function destinationOf(state: string): Destination {
  return isApplicationState(state) ? destinations[state] : 'none'
}

/**
 * True when a screen may be opened by its URL in this state (S56). The screens of the booking open also in every state with
 * an appointment: they ask the server whether it may be changed (APT23).
 */
export function mayOpen(screen: JourneyScreen, state: string): boolean {
  if (state === 'NEW') return screen === 'form' || screen === 'confirm'
  if (state === 'DATA_SAVED') return screen === 'form' || screen === 'confirm' || screen === 'payment'
  const destination = destinationOf(state)
  if (screen === 'appointment' || screen === 'schedule')
    return destination === 'appointment' || destination === 'final'
  return screen === 'final' && destination === 'final'
}

/** True when another appointment has replaced the one of a summary, which then shows an old time (S56, D129). */
export function isReplaced(
  appointmentId: string | undefined,
  { appointment }: { appointment?: { id: string } | null | undefined },
): boolean {
  return appointment?.id !== undefined && appointment.id !== appointmentId
}

/** True when an appointment may be changed in this state (APT24). */
export function mayChangeAppointment(state: ApplicationState): boolean {
  return nextState(state, 'appointment-changed') !== undefined
}

/**
 * Whether the server has lost a payment or a booking, because it was restored from a backup (D62): the application was paid
 * in the state `earlier` and is unpaid in `state`, or it was booked and `state` is `PAYMENT_DONE`. No event does that. The
 * states do not show a lost change or cancellation of an appointment. `state`: undefined when the server does not list the
 * application.
 */
export function hasLostStep(earlier: string, state: string | undefined): boolean {
  const before = destinationOf(earlier)
  if (before !== 'appointment' && before !== 'final') return false
  return state === undefined || isOpen(state) || (before === 'final' && state === 'PAYMENT_DONE')
}
