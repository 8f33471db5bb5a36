import { machineClock } from '#server/config/machine-clock.ts'

/** The day so many days from today, YYYY-MM-DD, as the calendar of Douala has it. */
export function dateInDays(days: number): string {
  const instant = new Date(machineClock.now().getTime() + days * 24 * 60 * 60 * 1_000)
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'Africa/Douala' }).format(instant)
}
