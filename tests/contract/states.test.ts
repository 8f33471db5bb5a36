import { describe, expect, it } from 'vitest'
import {
  type ApplicationEvent,
  type ApplicationState,
  applicationStates,
  deleteApplicationFeature,
  destinationOf,
  hasLostStep,
  isApplicationState,
  isOpen,
  isReplaced,
  type JourneyScreen,
  mayChangeAppointment,
  mayDelete,
  mayOpen,
  nextState,
  statesBefore,
} from '#contract/states.ts'

// The table of the contract once more, ordered by event instead of by state, so that a wrong entry there fails a test.
// In READY_FOR_CM and SENT_TO_CM the enrolment at the office is done.
const moves: Record<ApplicationEvent, [from: ApplicationState[], to: ApplicationState]> = {
  'data-confirmed': [['NEW', 'DATA_SAVED'], 'DATA_SAVED'],
  'payment-succeeded': [['DATA_SAVED'], 'PAYMENT_DONE'],
  'appointment-confirmed': [
    ['PAYMENT_DONE', 'APPOINTMENT_CANCELED', 'READY_TO_RESCHEDULE'],
    'APPOINTMENT_SCHEDULED',
  ],
  'appointment-changed': [['APPOINTMENT_SCHEDULED', 'APPOINTMENT_CHANGED'], 'APPOINTMENT_CHANGED'],
  'appointment-canceled': [['APPOINTMENT_SCHEDULED', 'APPOINTMENT_CHANGED'], 'APPOINTMENT_CANCELED'],
  'day-closed': [['APPOINTMENT_SCHEDULED', 'APPOINTMENT_CHANGED'], 'APPOINTMENT_CANCELED'],
  'made-ready': [['APPOINTMENT_SCHEDULED', 'APPOINTMENT_CHANGED'], 'READY_FOR_CM'],
  'no-show': [['APPOINTMENT_SCHEDULED', 'APPOINTMENT_CHANGED'], 'READY_TO_RESCHEDULE'],
  sent: [['READY_FOR_CM'], 'SENT_TO_CM'],
  failed: [
    [
      'PAYMENT_DONE',
      'APPOINTMENT_SCHEDULED',
      'READY_FOR_CM',
      'SENT_TO_CM',
      'APPOINTMENT_CHANGED',
      'APPOINTMENT_CANCELED',
      'READY_TO_RESCHEDULE',
    ],
    'FAILED',
  ],
  // The applicant may delete only in NEW. The server deletes in each of these states, when a time limit has ended.
  deleted: [
    [
      'NEW',
      'DATA_SAVED',
      'PAYMENT_DONE',
      'APPOINTMENT_SCHEDULED',
      'APPOINTMENT_CHANGED',
      'APPOINTMENT_CANCELED',
      'READY_TO_RESCHEDULE',
    ],
    'DELETED',
  ],
}
const events = Object.keys(moves) as ApplicationEvent[]

describe('the transition table (D40, STA09)', () => {
  it.each(events)('allows %s in these states only', event => {
    const [from, to] = moves[event]
    const before = applicationStates.filter(state => nextState(state, event) !== undefined)
    expect(before.toSorted()).toEqual(from.toSorted())
    expect(statesBefore(event)).toEqual(before)
    for (const state of from) expect(nextState(state, event)).toBe(to)
  })

  it('lets no event follow a failed or a deleted application', () => {
    for (const event of events)
      expect([nextState('FAILED', event), nextState('DELETED', event)]).toEqual([undefined, undefined])
  })
})

/** For each state: the screen that its card in the list opens, and the screens that open by their URL. */
const screens: Record<ApplicationState, [card: string, open: JourneyScreen[]]> = {
  NEW: ['form', ['form', 'confirm']],
  DATA_SAVED: ['payment', ['form', 'confirm', 'payment']],
  PAYMENT_DONE: ['appointment', ['appointment', 'schedule']],
  APPOINTMENT_CANCELED: ['appointment', ['appointment', 'schedule']],
  READY_TO_RESCHEDULE: ['appointment', ['appointment', 'schedule']],
  APPOINTMENT_SCHEDULED: ['final', ['appointment', 'schedule', 'final']],
  READY_FOR_CM: ['final', ['appointment', 'schedule', 'final']],
  SENT_TO_CM: ['final', ['appointment', 'schedule', 'final']],
  APPOINTMENT_CHANGED: ['final', ['appointment', 'schedule', 'final']],
  FAILED: ['none', []],
  DELETED: ['none', []],
}
const journeyScreens: JourneyScreen[] = ['form', 'confirm', 'payment', 'appointment', 'schedule', 'final']

describe('a state', () => {
  it('is one of eleven words', () => {
    expect(applicationStates).toHaveLength(11)
    expect(applicationStates.toSorted()).toEqual((Object.keys(screens) as ApplicationState[]).toSorted())
    for (const state of applicationStates) expect(isApplicationState(state)).toBe(true)
    for (const word of ['', 'new', 'PAID']) expect(isApplicationState(word)).toBe(false)
  })

  it.each(applicationStates)('%s opens these screens only (LST03, LST04, LST05, LST06, S48, S56)', state => {
    const [card, open] = screens[state]
    expect(destinationOf(state)).toBe(card)
    expect(journeyScreens.filter(screen => mayOpen(screen, state))).toEqual(open)
  })

  it('that the portal does not know opens nothing (S48)', () => {
    expect(destinationOf('ARCHIVED')).toBe('none')
    expect(journeyScreens.filter(screen => mayOpen(screen, 'ARCHIVED'))).toEqual([])
  })

  it('lets the applicant delete the application in these states only (LST10)', () => {
    expect(deleteApplicationFeature).toBe('deleteApplication')
    expect(applicationStates.filter(mayDelete)).toEqual(['NEW'])
  })

  it('blocks the start of another application in these states only (LST07)', () => {
    expect(applicationStates.filter(isOpen)).toEqual(['NEW', 'DATA_SAVED'])
  })

  it('lets the appointment change in these states only (APT24)', () => {
    expect(applicationStates.filter(mayChangeAppointment)).toEqual([
      'APPOINTMENT_SCHEDULED',
      'APPOINTMENT_CHANGED',
    ])
  })
})

describe('the appointment that a summary shows (S56, D129)', () => {
  it.each([
    ['is current when it is booked', 'one', { appointment: { id: 'one' } }, false],
    ['is replaced when another is booked', 'one', { appointment: { id: 'another' } }, true],
    ['is current when none is booked', 'one', { appointment: null }, false],
    ['is current when the list of applications names none', 'one', {}, false],
    ['is replaced when there was none and one is booked', undefined, { appointment: { id: 'one' } }, true],
  ])('%s', (_, shown, listed, isOld) => {
    expect(isReplaced(shown, listed)).toBe(isOld)
  })
})

describe('hasLostStep, after a restore of the server (D62)', () => {
  const paid: ApplicationState[] = ['PAYMENT_DONE', 'APPOINTMENT_CANCELED', 'READY_TO_RESCHEDULE']
  const booked: ApplicationState[] = [
    'APPOINTMENT_SCHEDULED',
    'APPOINTMENT_CHANGED',
    'READY_FOR_CM',
    'SENT_TO_CM',
  ]
  const withoutPayment: (ApplicationState | undefined)[] = [undefined, 'NEW', 'DATA_SAVED']

  it.each(paid)('finds a lost payment when an application that was %s is unpaid or absent now', earlier => {
    const lost = [undefined, ...applicationStates].filter(state => hasLostStep(earlier, state))
    expect(lost).toEqual(withoutPayment)
  })

  it.each(booked)(
    'finds also a lost booking when an application that was %s is paid but not booked now',
    earlier => {
      const lost = [undefined, ...applicationStates].filter(state => hasLostStep(earlier, state))
      expect(new Set(lost)).toEqual(new Set([...withoutPayment, 'PAYMENT_DONE']))
    },
  )

  it('finds nothing when the application was unpaid, failed, deleted or in an unknown state', () => {
    for (const earlier of ['NEW', 'DATA_SAVED', 'FAILED', 'DELETED', 'UNKNOWN'])
      expect([undefined, ...applicationStates].filter(state => hasLostStep(earlier, state))).toEqual([])
  })
})
