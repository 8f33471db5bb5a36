import { daysIn, isCalendarDate } from '#contract/dates.ts'

/** A weekly opening; times are office-local, `08:00:00` or `08:00`. */
export type Opening = {
  /** 1 is Monday. */
  weekday: number
  opens: string
  closes: string
  slotMinutes: number
  capacity: number
}

export type Calendar = {
  timeZone: string
  openings: readonly Opening[]
  closedDays: readonly string[]
  /** Days from today to the last bookable day. */
  horizonDays: number
}

export type Slot = {
  /** `09:30:00` */
  time: string
  capacity: number
}

/** The bookable period, office-local: from the date-time `from` to the end of the day `lastDay`. */
export type BookingWindow = { from: string; lastDay: string }

/** Earliest bookable time after now: the applicant needs time to print the receipt and to travel. */
const leadHours = 2

/** Returns what can be booked at the instant `now`. */
export function bookingWindow({ timeZone, horizonDays }: Calendar, now: Date): BookingWindow {
  const today = localDateTime(timeZone, now).slice(0, 10)
  const lastDay = new Date(Date.parse(`${today}T00:00:00Z`) + horizonDays * 86_400_000)
    .toISOString()
    .slice(0, 10)
  return { from: localDateTime(timeZone, hoursAfter(now, leadHours)), lastDay }
}

/** Returns the slots of a day inside the booking window, in order. */
export function bookableSlots(calendar: Calendar, day: string, window: BookingWindow): Slot[] {
  if (day > window.lastDay) return []
  return slotsOf(calendar, day).filter(({ time }) => `${day}T${time}` >= window.from)
}

/**
 * Returns the opening with a bookable slot at this office-local date-time, `2026-12-01T09:30:00`; undefined when there
 * is none. It is `bookableSlots` for one slot, but faster.
 */
export function bookableOpening(calendar: Calendar, startsAt: string, now: Date): Opening | undefined {
  const [day = '', time = ''] = startsAt.split('T')
  const { from, lastDay } = bookingWindow(calendar, now)
  if (startsAt < from || day > lastDay || !isOpenDay(calendar, day)) return undefined
  const weekday = weekdayOf(day)
  return calendar.openings.find(opening => opening.weekday === weekday && hasSlotAt(opening, time))
}

/** Returns the days of the window that have a bookable slot. */
export function bookableDays(calendar: Calendar, window: BookingWindow): string[] {
  const days: string[] = []
  for (let day = window.from.slice(0, 10); day <= window.lastDay; day = dayAfter(day))
    if (bookableSlots(calendar, day, window).length > 0) days.push(day)
  return days
}

/** Returns all slots of a day. A slot must end by closing time. */
export function slotsOf(calendar: Calendar, day: string): Slot[] {
  if (!isOpenDay(calendar, day)) return []
  const weekday = weekdayOf(day)
  return (
    calendar.openings
      .filter(opening => opening.weekday === weekday)
      .flatMap(slotsOfOpening)
      // Plain comparison of digits: a collator would be far slower.
      .toSorted((one, other) => (one.time < other.time ? -1 : 1))
  )
}

/** Returns the local time of a time zone at an instant, `2026-12-01T09:30:00`. */
export function localDateTime(timeZone: string, instant: Date): string {
  return new Date(instant.getTime() + offsetAt(timeZone, instant)).toISOString().slice(0, 19)
}

/** Offsets change only at full quarters of an hour, so one cached offset serves a quarter: computing one is slow. */
const quarterHourMs = 900_000
const offsets = new Map<string, number>()
const maxCachedOffsets = 1_000

/** Offset of the time zone from UTC, in milliseconds; positive when ahead. */
function offsetAt(timeZone: string, instant: Date): number {
  const key = `${timeZone} ${Math.floor(instant.getTime() / quarterHourMs)}`
  const known = offsets.get(key)
  if (known !== undefined) return known
  const second = Math.floor(instant.getTime() / 1_000) * 1_000
  const offset = Date.parse(`${formatLocal(formatOf(timeZone), instant)}Z`) - second
  if (offsets.size >= maxCachedOffsets) offsets.clear()
  offsets.set(key, offset)
  return offset
}

function formatLocal(format: Intl.DateTimeFormat, instant: Date): string {
  const parts = format.formatToParts(instant)
  const part = (type: string) => parts.find(each => each.type === type)?.value ?? ''
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}:${part('second')}`
}

/** Cached because constructing a format is slow; one for each time zone that was needed. */
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
  formats.set(timeZone, format)
  return format
}

export function hoursAfter(instant: Date, hours: number): Date {
  return new Date(instant.getTime() + hours * 3_600_000)
}

export function dayAfter(day: string): string {
  const [year, month, date] = numbersOf(day)
  if (date < daysIn(month, year)) return showDay(year, month, date + 1)
  return month < 12 ? showDay(year, month + 1, 1) : showDay(year + 1, 1, 1)
}

/** 1 is Monday, 7 is Sunday; Sakamoto's algorithm. */
export function weekdayOf(day: string): number {
  const [year, month, date] = numbersOf(day)
  const shift = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4][month - 1] ?? 0
  const counted = month < 3 ? year - 1 : year
  const leapDays = Math.floor(counted / 4) - Math.floor(counted / 100) + Math.floor(counted / 400)
  const fromSunday = (counted + leapDays + shift + date) % 7
  return fromSunday === 0 ? 7 : fromSunday
}

function isOpenDay({ closedDays }: Calendar, day: string): boolean {
  return isCalendarDate(day) && !closedDays.includes(day)
}

function hasSlotAt({ opens, closes, slotMinutes }: Opening, time: string): boolean {
  const start = minutesOf(time)
  const sinceOpening = start - minutesOf(opens)
  const isWithin = sinceOpening >= 0 && start + slotMinutes <= minutesOf(closes)
  return isWithin && sinceOpening % slotMinutes === 0 && time === showTime(start)
}

function slotsOfOpening({ opens, closes, slotMinutes, capacity }: Opening): Slot[] {
  const slots: Slot[] = []
  const end = minutesOf(closes)
  for (let start = minutesOf(opens); start + slotMinutes <= end; start += slotMinutes)
    slots.push({ time: showTime(start), capacity })
  return slots
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

function showTime(minutes: number): string {
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}:00`
}

function showDay(year: number, month: number, date: number): string {
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(date)}`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

function numbersOf(day: string): [year: number, month: number, date: number] {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number)
  return [year, month, date]
}
