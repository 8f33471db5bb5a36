import { describe, expect, it } from 'vitest'
import { dueReminder } from '#server/features/reminders/due-reminder.ts'

/** 10:00 in Douala is 09:00 UTC. */
const booked = {
  startsAt: '2026-12-15T10:00:00',
  timeZone: 'Africa/Douala',
  confirmedAt: new Date('2026-11-01T12:00:00Z'),
}

describe('the reminder of an appointment', () => {
  it.each([
    ['more than a week before', '2026-12-08T08:59:59Z', undefined],
    ['a week before', '2026-12-08T09:00:00Z', 7],
    ['a second more than a day before', '2026-12-14T08:59:59Z', 7],
    ['a day before', '2026-12-14T09:00:00Z', 1],
    ['a second before', '2026-12-15T08:59:59Z', 1],
    ['when it starts', '2026-12-15T09:00:00Z', undefined],
    ['after it', '2026-12-16T09:00:00Z', undefined],
  ])('%s (%s) is, in days: %s', (_, now, reminder) => {
    expect(dueReminder(booked, new Date(now))).toBe(reminder)
  })

  it.each([
    ['just before the week', '2026-12-08T08:59:59Z', '2026-12-10T09:00:00Z', 7],
    ['within the week', '2026-12-08T09:00:00Z', '2026-12-10T09:00:00Z', undefined],
    ['within the week, a day before', '2026-12-08T09:00:00Z', '2026-12-14T09:00:00Z', 1],
    ['within the last day', '2026-12-14T09:00:00Z', '2026-12-15T08:00:00Z', undefined],
  ])('after a confirmation %s (%s), at %s, is, in days: %s', (_, confirmedAt, now, reminder) => {
    expect(dueReminder({ ...booked, confirmedAt: new Date(confirmedAt) }, new Date(now))).toBe(reminder)
  })
})
