import { describe, expect, it } from 'vitest'
import type { AppointmentRow } from '#server/features/appointments/appointment-rows.ts'
import {
  bookingEvents,
  holdResult,
  isLiveHold,
  isReplacedTime,
  isSameHold,
  judgeUnconfirmed,
} from '#server/features/appointments/hold-rule.ts'

describe('what became of an attempt to hold a place (D41)', () => {
  const none = { id: null, offered: true, available: true, allowed: true, seats: 2 }
  it.each([
    ['the place is held', { ...none, id: 'a', seats: null }, { kind: 'held', id: 'a' }],
    ['the office no longer offers the time', { ...none, offered: false }, { kind: 'outdated' }],
    ['the statement returned nothing', undefined, { kind: 'outdated' }],
    ['the application may not have the free place', { ...none, allowed: false }, { kind: 'not-allowed' }],
    // Without a free place the statement does not check the application.
    ['no place is free', { ...none, available: false, allowed: false }, { kind: 'full', seats: 2 }],
    ['others reserved the last place during the statement', none, { kind: 'full', seats: 2 }],
    ['the slot has no places yet', { ...none, available: false, seats: 0 }, { kind: 'full', seats: 0 }],
    ['the places were not counted', { ...none, seats: null }, { kind: 'full', seats: 0 }],
  ])('%s', (_, outcome, result) => {
    expect(holdResult(outcome)).toEqual(result)
  })
})

describe('a hold is live', () => {
  it.each([
    [{ state: 'HELD', secondsLeft: 1 }, true],
    [{ state: 'HELD', secondsLeft: 0 }, false],
    [{ state: 'HELD', secondsLeft: -5 }, false],
    [{ state: 'HELD', secondsLeft: null }, false],
    [{ state: 'CONFIRMED', secondsLeft: null }, false],
    [{ state: 'CANCELED', secondsLeft: 60 }, false],
  ] as const)('%o: %s', (appointment, isLive) => {
    expect(isLiveHold(appointment)).toBe(isLive)
  })
})

const held: AppointmentRow = {
  id: 'b',
  applicationId: 'p',
  officeId: 1,
  startsAt: '2026-12-02T09:00:00',
  timeZone: 'Africa/Douala',
  generalQueue: false,
  state: 'HELD',
  replaces: null,
  secondsLeft: 60,
  applicationState: 'PAYMENT_DONE',
  changesUsed: 0,
}

describe('why a reservation was not confirmed (ERR22, D43)', () => {
  // In a state that allows neither event, the reason is `wrong-state`.
  it('depends on the two events of a confirmation: of a first appointment, and of a change', () => {
    expect(bookingEvents).toEqual(['appointment-confirmed', 'appointment-changed'])
  })

  it.each([
    ['an earlier call has confirmed it', { state: 'CONFIRMED', secondsLeft: null }, 'confirmed'],
    ['it has expired', { secondsLeft: 0 }, 'expired'],
    ['it was given up', { state: 'CANCELED', secondsLeft: null }, 'expired'],
    [
      'it has expired, and the application has failed',
      { secondsLeft: 0, applicationState: 'FAILED' },
      'expired',
    ],
    ['the application has failed', { applicationState: 'FAILED' }, 'wrong-state'],
    ['the application is not paid', { applicationState: 'DATA_SAVED' }, 'wrong-state'],
    // Its hold ended during the call, and another applicant has the place.
    ['the place of a first appointment is gone', {}, 'expired'],
    ['the place of a first appointment is gone after a cancellation', { changesUsed: 1 }, 'expired'],
    [
      'the change is used up',
      { applicationState: 'APPOINTMENT_SCHEDULED', changesUsed: 1 },
      'change-refused',
    ],
    [
      'more changes are used than are allowed now',
      { applicationState: 'APPOINTMENT_CHANGED', changesUsed: 2 },
      'change-refused',
    ],
    ['the place of a change is gone', { applicationState: 'APPOINTMENT_SCHEDULED' }, 'expired'],
  ] as const)('%s', (_, change, judged) => {
    expect(judgeUnconfirmed({ ...held, ...change }, 1)).toBe(judged)
  })
})

describe('a second tap on a time, compared with the reservation of the application', () => {
  const hold = { id: 'b', officeId: 1, startsAt: held.startsAt, replaces: null }
  const wanted = { office: { id: 1 }, startsAt: held.startsAt }
  const replaced = { id: 'a', officeId: 1, startsAt: held.startsAt }
  const queue = { ...hold, startsAt: null }

  it.each([
    ['this time', hold, wanted, true],
    ['no reservation', undefined, wanted, false],
    ['another time', hold, { ...wanted, startsAt: '2026-12-02T09:30:00' }, false],
    ['another office', hold, { ...wanted, office: { id: 2 } }, false],
    ['an office that is gone', hold, { ...wanted, office: undefined }, false],
    ['a first appointment, and a tap for a change', hold, { ...wanted, replaces: replaced }, false],
    ['this change', { ...hold, replaces: 'a' }, { ...wanted, replaces: replaced }, true],
    ['a change, and a tap for a first appointment', { ...hold, replaces: 'a' }, wanted, false],
    ['the general queue', queue, { ...wanted, startsAt: null }, true],
  ])('repeats the first answer, or not: %s', (_, existing, time, isSame) => {
    expect(isSameHold(existing, time)).toBe(isSame)
  })

  it.each([
    ['wants the time of the appointment that it changes', { ...wanted, replaces: replaced }, true],
    ['wants another time', { ...wanted, startsAt: '2026-12-02T09:30:00', replaces: replaced }, false],
    ['wants that time in another office', { ...wanted, office: { id: 2 }, replaces: replaced }, false],
    ['changes no appointment', wanted, false],
    ['changes no appointment, without an office or a time', {}, false],
    ['wants the time in an office that is gone', { startsAt: held.startsAt, replaces: replaced }, false],
  ])('keeps the time of the replaced appointment, or not: %s', (_, time, isReplaced) => {
    expect(isReplacedTime(time)).toBe(isReplaced)
  })
})
