import { describe, expect, it } from 'vitest'
import {
  bookableDays,
  bookableOpening,
  bookableSlots,
  bookingWindow,
  type Calendar,
  dayAfter,
  localDateTime,
  slotsOf,
  weekdayOf,
} from '#server/features/offices/calendar.ts'

const morning = { opens: '08:00:00', closes: '09:30:00', slotMinutes: 30, capacity: 4 }
const weekdays: Calendar = {
  timeZone: 'Africa/Douala',
  openings: [1, 2, 3, 4, 5].map(weekday => ({ ...morning, weekday })),
  closedDays: [],
  horizonDays: 7,
}
/** Saturday 21 November 2026, 11:00 in Douala. */
const saturday = new Date('2026-11-21T10:00:00Z')

function timesOf(calendar: Calendar, day: string): string[] {
  return slotsOf(calendar, day).map(({ time }) => time)
}

describe('bookableOpening', () => {
  const siesta: Calendar = {
    ...weekdays,
    openings: [
      ...weekdays.openings,
      { weekday: 1, opens: '14:10:00', closes: '15:00:00', slotMinutes: 25, capacity: 2 },
    ],
    closedDays: ['2026-11-25'],
  }
  const minutes = Array.from({ length: 1_440 }, (_, minute) =>
    [Math.floor(minute / 60), minute % 60, 0].map(number => String(number).padStart(2, '0')).join(':'),
  )

  it('finds an opening at exactly the listed times of its day, with the same capacity', () => {
    for (const now of [saturday, new Date('2026-11-23T06:31:00Z')])
      for (let date = 20; date <= 30; date += 1) {
        const day = `2026-11-${date}`
        const listed = bookableSlots(siesta, day, bookingWindow(siesta, now))
        const offered = minutes.flatMap(time => {
          const opening = bookableOpening(siesta, `${day}T${time}`, now)
          return opening ? [{ time, capacity: opening.capacity }] : []
        })
        expect(offered).toEqual(listed)
      }
  })

  it.each(['2026-11-23T08:00:30', '2026-11-23T8:00:00', '2026-11-23', '2026-11-31T08:00:00'])(
    'finds none for %s',
    startsAt => {
      expect(bookableOpening(siesta, startsAt, saturday)).toBeUndefined()
    },
  )
})

describe('days', () => {
  it.each([
    ['2026-11-30', '2026-12-01'],
    ['2026-12-31', '2027-01-01'],
    ['2024-02-28', '2024-02-29'],
    ['2023-02-28', '2023-03-01'],
    ['2100-02-28', '2100-03-01'],
  ])('the day after %s is %s', (day, next) => {
    expect(dayAfter(day)).toBe(next)
  })

  it.each([
    ['2026-11-21', 6],
    ['2026-11-22', 7],
    ['2026-11-23', 1],
    ['2024-02-29', 4],
    ['2000-01-01', 6],
    ['1900-03-01', 4],
  ])('%s is weekday %i, Monday being 1', (day, weekday) => {
    expect(weekdayOf(day)).toBe(weekday)
  })
})

describe('the slots of a day', () => {
  it('follow one another from opening to closing time', () => {
    expect(timesOf(weekdays, '2026-11-23')).toEqual(['08:00:00', '08:30:00', '09:00:00'])
  })

  it('end by closing time', () => {
    const calendar = { ...weekdays, openings: [{ ...morning, weekday: 1, closes: '09:20:00' }] }
    expect(timesOf(calendar, '2026-11-23')).toEqual(['08:00:00', '08:30:00'])
  })

  it('are empty on a weekday without opening, on a closed day and on an invalid day', () => {
    expect(timesOf(weekdays, '2026-11-22')).toEqual([])
    expect(timesOf({ ...weekdays, closedDays: ['2026-11-23'] }, '2026-11-23')).toEqual([])
    expect(timesOf(weekdays, '2026-11-31')).toEqual([])
    expect(timesOf(weekdays, 'nonsense')).toEqual([])
  })

  it('of two openings are sorted by time', () => {
    const afternoon = { ...morning, weekday: 1, opens: '14:00', closes: '15:00' }
    const calendar = { ...weekdays, openings: [afternoon, { ...morning, weekday: 1 }] }
    expect(timesOf(calendar, '2026-11-23')).toEqual([
      '08:00:00',
      '08:30:00',
      '09:00:00',
      '14:00:00',
      '14:30:00',
    ])
  })
})

describe('the booking window', () => {
  it('begins two hours from now', () => {
    const now = new Date('2026-11-23T05:45:00Z') // 06:45 in Douala
    const times = bookableSlots(weekdays, '2026-11-23', bookingWindow(weekdays, now))
    expect(times.map(({ time }) => time)).toEqual(['09:00:00'])
  })

  it('includes a slot exactly two hours from now', () => {
    const now = new Date('2026-11-23T05:30:00Z')
    const times = bookableSlots(weekdays, '2026-11-23', bookingWindow(weekdays, now))
    expect(times.map(({ time }) => time)).toEqual(['08:30:00', '09:00:00'])
  })

  it('contains no past day', () => {
    expect(bookableSlots(weekdays, '2026-11-20', bookingWindow(weekdays, saturday))).toEqual([])
  })

  it('ends at the horizon, counted from today', () => {
    expect(bookingWindow(weekdays, saturday).lastDay).toBe('2026-11-28')
    expect(bookableDays(weekdays, bookingWindow(weekdays, saturday))).toEqual([
      '2026-11-23',
      '2026-11-24',
      '2026-11-25',
      '2026-11-26',
      '2026-11-27',
    ])
    expect(bookableSlots(weekdays, '2026-11-30', bookingWindow(weekdays, saturday))).toEqual([])
  })

  it('counts the horizon from today even when two hours from now is tomorrow', () => {
    const late = new Date('2026-11-21T22:30:00Z') // 23:30 in Douala
    expect(bookingWindow(weekdays, late)).toEqual({ from: '2026-11-22T01:30:00', lastDay: '2026-11-28' })
  })

  it('leaves out closed days', () => {
    const calendar = { ...weekdays, closedDays: ['2026-11-24', '2026-11-26'] }
    expect(bookableDays(calendar, bookingWindow(calendar, saturday))).toEqual([
      '2026-11-23',
      '2026-11-25',
      '2026-11-27',
    ])
  })

  it("follows the office's clock, not the server's", () => {
    const monday = new Date('2026-11-22T22:30:00Z') // Monday 07:30 in Tokyo, Sunday 17:30 in New York
    const tokyo = { ...weekdays, timeZone: 'Asia/Tokyo' }
    const newYork = { ...weekdays, timeZone: 'America/New_York' }
    expect(bookingWindow(tokyo, monday).from).toBe('2026-11-23T09:30:00')
    expect(bookableDays(tokyo, bookingWindow(tokyo, monday))[0]).toBe('2026-11-24')
    expect(bookableDays(newYork, bookingWindow(newYork, monday))[0]).toBe('2026-11-23')
  })
})

describe("the office's clock", () => {
  // In the past, because countries change the rules of their time zones: Morocco did in 2026.
  it.each([
    ['Africa/Douala', '2025-07-01T23:30:00Z', '2025-07-02T00:30:00'],
    ['Europe/Paris', '2025-07-01T23:30:00Z', '2025-07-02T01:30:00'],
    ['Europe/Paris', '2025-12-01T23:30:00Z', '2025-12-02T00:30:00'],
    ['America/Sao_Paulo', '2025-12-01T02:59:59Z', '2025-11-30T23:59:59'],
    ['Africa/Casablanca', '2025-12-01T23:00:00Z', '2025-12-02T00:00:00'],
  ])('in %s at %s is %s', (timeZone, instant, shown) => {
    expect(localDateTime(timeZone, new Date(instant))).toBe(shown)
  })

  it.each(['Europe/Paris', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Asia/Kathmandu', 'America/St_Johns'])(
    'in %s shows what `Intl` shows, at each hour of a year and at each minute of an hour in which the clocks change',
    timeZone => {
      const shown = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
      const hour = 3_600_000
      for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += hour) {
        const isChanging =
          Date.parse(`${shown.format(at + hour)}Z`) - Date.parse(`${shown.format(at)}Z`) !== hour
        for (let minute = 0; minute < 60; minute += isChanging ? 1 : 60) {
          const instant = new Date(at + minute * 60_000 + 999)
          expect(localDateTime(timeZone, instant)).toBe(shown.format(instant).replace(' ', 'T'))
        }
      }
    },
  )
})
