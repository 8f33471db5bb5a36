/** What the applicant has picked, from the country down to the time; '' when nothing was picked. */
export type Picks = { country: string; city: string; officeId: string; date: string; time: string }
/** One of the choices; each depends on the choices before it. */
export type Level = keyof Picks

export const nothingPicked: Picks = { country: '', city: '', officeId: '', date: '', time: '' }

const levels = ['country', 'city', 'officeId', 'date', 'time'] as const satisfies Level[]

/** Sets one level and clears the levels that depend on it (APT07). */
export function pick(picks: Picks, level: Level, value: string): Picks {
  const below = levels.slice(levels.indexOf(level) + 1)
  return { ...picks, [level]: value, ...Object.fromEntries(below.map(name => [name, ''])) }
}

/** Returns the id of the picked city or office, else of the only item, else '' (APT08, APT10). */
export function onlyOrPicked(picked: string, items: readonly { id: string }[] | undefined): string {
  if (items?.some(({ id }) => id === picked)) return picked
  return items?.length === 1 ? (items[0]?.id ?? '') : ''
}

/** Returns the picked date or time while the list contains it, else the first item, else '' (APT11, APT13, S10). */
export function firstOrPicked(picked: string, items: readonly string[] | undefined): string {
  return items?.find(item => item === picked) ?? items?.[0] ?? ''
}

/**
 * What Confirm can do: it requests the general queue (`queue`) or a time. `incomplete`: the applicant must choose first.
 * `waiting`: the dates or the times are loading, or could not be loaded. `full`: the day has no time left.
 */
export type BookingSelection =
  | { kind: 'incomplete'; missing: Level[] }
  | { kind: 'waiting' }
  | { kind: 'full' }
  | { kind: 'queue'; officeId: string }
  | { kind: 'time'; officeId: string; date: string; time: string }

type Loaded = { dates: readonly string[] | undefined; slots: readonly string[] | undefined }

/** Selects the general queue only when the office has no date (APT14, S09). */
export function bookingSelectionOf(chosen: Picks, { dates, slots }: Loaded): BookingSelection {
  const missing = (['country', 'city', 'officeId'] as const).filter(level => chosen[level] === '')
  if (missing.length > 0) return { kind: 'incomplete', missing }
  const { officeId, date, time } = chosen
  if (dates === undefined) return { kind: 'waiting' }
  if (dates.length === 0) return { kind: 'queue', officeId }
  if (slots === undefined) return { kind: 'waiting' }
  return time === '' ? { kind: 'full' } : { kind: 'time', officeId, date, time }
}
