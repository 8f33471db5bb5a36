const dayMs = 86_400_000

/** Days since 1970-01-01; days of the calendar, in UTC alone, so that no clock change makes one longer. */
export function dayNumber(day: string): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return Date.UTC(year, month - 1, date) / dayMs
}

export function daysAfter(day: string, count: number): string {
  return new Date((dayNumber(day) + count) * dayMs).toISOString().slice(0, 10)
}
