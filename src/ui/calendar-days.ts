// Dates are texts "YYYY-MM-DD" and months "YYYY-MM", which sort as texts.

export function monthOf(date: string): string {
  return date.slice(0, 7)
}

export function addDays(date: string, days: number): string {
  const moved = new Date(`${date}T00:00Z`)
  moved.setUTCDate(moved.getUTCDate() + days)
  return moved.toISOString().slice(0, 10)
}

export function addMonths(month: string, months: number): string {
  const moved = new Date(`${month}-01T00:00Z`)
  moved.setUTCMonth(moved.getUTCMonth() + months)
  return monthOf(moved.toISOString())
}

/** Returns the earliest date that is not before `from`, or with -1 the latest that is not after it. */
export function findDate(dates: readonly string[], from: string, direction: 1 | -1): string | undefined {
  const possible = dates.filter(date => (direction === 1 ? date >= from : date <= from))
  return possible.reduce<string | undefined>(
    (best, date) => (best === undefined || (direction === 1 ? date < best : date > best) ? date : best),
    undefined,
  )
}

/** Returns the weeks of a month, from Monday; undefined: a cell before the first or after the last day. */
export function weeksOf(month: string): (string | undefined)[][] {
  const first = `${month}-01`
  const blanks = (new Date(`${first}T00:00Z`).getUTCDay() + 6) % 7
  const cells: (string | undefined)[] = Array.from({ length: blanks }, () => undefined)
  for (let date = first; monthOf(date) === month; date = addDays(date, 1)) cells.push(date)
  while (cells.length % 7 > 0) cells.push(undefined)
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7))
}
