/** Dates are "YYYY-MM-DD" and months "YYYY-MM"; both sort as text. No clock and no time zone enters here. */

const dayLength = 86_400_000

/** Rows of seven from Monday; null where the day belongs to another month. */
export function weeksOfMonth(month: string): (string | null)[][] {
  const blanks = weekdayOf(`${month}-01`)
  const length = daysInMonth(month)
  const rows = Math.ceil((blanks + length) / 7)
  return Array.from({ length: rows }, (_row, row) =>
    Array.from({ length: 7 }, (_column, column) => {
      const day = row * 7 + column - blanks + 1
      return day >= 1 && day <= length ? dateIn(month, day) : null
    }),
  )
}

/** The months that hold any of the dates, in order, each once. */
export function monthsWithDates(dates: readonly string[]): string[] {
  return inOrder(new Set(dates.map(monthOf)))
}

/** Where a key leads from a date in a grid of the given months; null when the key means nothing there. */
export function dateAfterKey(date: string, key: string, months: readonly string[]): string | null {
  switch (key) {
    case 'ArrowLeft':
      return landOn(addDays(date, -1), date, months)
    case 'ArrowRight':
      return landOn(addDays(date, 1), date, months)
    case 'ArrowUp':
      return landOn(addDays(date, -7), date, months)
    case 'ArrowDown':
      return landOn(addDays(date, 7), date, months)
    case 'Home':
      return landOn(addDays(date, -weekdayOf(date)), date, months)
    case 'End':
      return landOn(addDays(date, 6 - weekdayOf(date)), date, months)
    case 'PageUp':
      return sameDayIn(months[months.indexOf(monthOf(date)) - 1], date)
    case 'PageDown':
      return sameDayIn(months[months.indexOf(monthOf(date)) + 1], date)
    default:
      return null
  }
}

/** The older browsers we serve have no `toSorted`. */
export function inOrder(texts: Iterable<string>): string[] {
  // eslint-disable-next-line unicorn/no-array-sort
  return [...texts].sort()
}

export function monthOf(date: string): string {
  return date.slice(0, 7)
}

/** 0 is Monday. */
export function weekdayOf(date: string): number {
  return (new Date(toInstant(date)).getUTCDay() + 6) % 7
}

export function addDays(date: string, days: number): string {
  return new Date(toInstant(date) + days * dayLength).toISOString().slice(0, 10)
}

export function daysInMonth(month: string): number {
  const [year = 0, ordinal = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, ordinal, 0)).getUTCDate()
}

/** A month without dates is stepped over; past the last one, or before the first, the focus stays. */
function landOn(target: string, from: string, months: readonly string[]): string {
  if (months.includes(monthOf(target))) return target
  if (target > from) {
    const next = months.find(month => month > monthOf(target))
    return next ? dateIn(next, 1) : from
  }
  const previous = months.filter(month => month < monthOf(target)).pop()
  return previous ? dateIn(previous, daysInMonth(previous)) : from
}

function sameDayIn(month: string | undefined, date: string): string {
  if (!month) return date
  return dateIn(month, Math.min(Number(date.slice(8)), daysInMonth(month)))
}

function dateIn(month: string, day: number): string {
  return `${month}-${String(day).padStart(2, '0')}`
}

function toInstant(date: string): number {
  return Date.parse(`${date}T00:00:00Z`)
}
