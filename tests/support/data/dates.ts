import { machineClock } from '#server/config/machine-clock.ts'

/** Returns the date this many days from today in Douala, YYYY-MM-DD. */
export function dateInDays(days: number): string {
  const instant = new Date(machineClock.now().getTime() + days * 24 * 60 * 60 * 1_000)
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'Africa/Douala' }).format(instant)
}
