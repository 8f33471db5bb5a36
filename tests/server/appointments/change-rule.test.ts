import { describe, expect, it } from 'vitest'
import {
  changeableFrom,
  changeRefusal,
  hasBegun,
  mayChange,
} from '#server/features/appointments/change-rule.ts'

const booked = {
  applicationState: 'APPOINTMENT_SCHEDULED',
  changesUsed: 0,
  startsAt: '2026-12-02T09:00:00',
  timeZone: 'Africa/Douala',
} as const
const now = new Date('2026-12-01T08:00:00Z') // 09:00 in Douala, 24 hours before
const rule = { changeLimit: 1, now }

describe('mayChange (D43, APT24)', () => {
  it.each([
    ['exactly 24 hours before', booked, true],
    ['a second less than 24 hours before', { ...booked, startsAt: '2026-12-02T08:59:59' }, false],
    ['in an office whose clock is ahead', { ...booked, timeZone: 'Asia/Tokyo' }, false],
    ['in an office whose clock is behind', { ...booked, timeZone: 'America/New_York' }, true],
    ['when the change is used up', { ...booked, changesUsed: 1 }, false],
    [
      'when the application is in the state APPOINTMENT_CHANGED',
      { ...booked, applicationState: 'APPOINTMENT_CHANGED' },
      true,
    ],
    ['when the office has accepted the application', { ...booked, applicationState: 'READY_FOR_CM' }, false],
    ['in the general queue, which has no time', { ...booked, startsAt: null }, true],
  ] as const)('%s: %o %s', (_, appointment, allowed) => {
    expect(mayChange(appointment, rule)).toBe(allowed)
  })
})

describe('changeRefusal (D43)', () => {
  it.each([
    [booked, undefined],
    [{ ...booked, startsAt: '2026-12-02T08:59:59' }, 'time'],
    [{ ...booked, changesUsed: 1 }, 'limit'],
    [{ ...booked, changesUsed: 1, startsAt: null }, 'limit'],
    [{ ...booked, changesUsed: 1, startsAt: '2026-12-02T08:59:59' }, 'limit'],
    [{ ...booked, changesUsed: 1, applicationState: 'READY_FOR_CM' }, 'state'],
  ] as const)('gives for %o the reason %s', (appointment, reason) => {
    expect(changeRefusal(appointment, rule)).toBe(reason)
  })
})

describe('changeableFrom (D43)', () => {
  it('returns the earliest start that can still be changed, on the clock of the office, while a change is left', () => {
    expect(changeableFrom(booked, rule)).toBe('2026-12-02T09:00:00')
    expect(changeableFrom({ ...booked, timeZone: 'Asia/Tokyo' }, rule)).toBe('2026-12-02T17:00:00')
  })

  it('returns null when no change is left', () => {
    expect(changeableFrom({ ...booked, changesUsed: 1 }, rule)).toBe(null)
  })
})

describe('hasBegun', () => {
  it.each([
    ['2026-12-01T09:00:00', true],
    ['2026-12-01T09:00:01', false],
    [null, false],
  ])('at 09:00 office time when it starts at %s: %s', (startsAt, begun) => {
    expect(hasBegun({ ...booked, startsAt }, now)).toBe(begun)
  })
})
