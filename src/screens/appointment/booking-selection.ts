/** What the applicant has picked by hand, from the country down to the time; '' where nothing was. */
export type Picks = { country: string; city: string; officeId: string; date: string; time: string }
export type Level = keyof Picks

export const nothingPicked: Picks = { country: '', city: '', officeId: '', date: '', time: '' }

const levels = ['country', 'city', 'officeId', 'date', 'time'] as const satisfies Level[]

/** A pick clears all that depends on it (APT07). */
export function pick(picks: Picks, level: Level, value: string): Picks {
  const below = levels.slice(levels.indexOf(level) + 1)
  return { ...picks, [level]: value, ...Object.fromEntries(below.map(name => [name, ''])) }
}

/** The city or office in force: the one picked, or the only one there is (APT08, APT10). */
export function onlyOrPicked(picked: string, items: readonly { id: string }[] | undefined): string {
  if (items?.some(({ id }) => id === picked)) return picked
  return items?.length === 1 ? (items[0]?.id ?? '') : ''
}

/** The date or time in force: the one picked while it is still there, or else the first (APT11, APT13, S10). */
export function firstOrPicked(picked: string, items: readonly string[] | undefined): string {
  return items?.find(item => item === picked) ?? items?.[0] ?? ''
}

/** What Confirm would ask for. `waiting`: a list is still on its way; `full`: the last time of that day has gone. */
export type BookingSelection =
  | { kind: 'incomplete'; missing: Level[] }
  | { kind: 'waiting' }
  | { kind: 'full' }
  | { kind: 'queue'; officeId: string }
  | { kind: 'time'; officeId: string; date: string; time: string }

type Loaded = { dates: readonly string[] | undefined; slots: readonly string[] | undefined }

/** Without any date the general queue is what remains, and only then (APT14, S09). */
export function bookingSelectionOf(chosen: Picks, { dates, slots }: Loaded): BookingSelection {
  const missing = (['country', 'city', 'officeId'] as const).filter(level => chosen[level] === '')
  if (missing.length > 0) return { kind: 'incomplete', missing }
  const { officeId, date, time } = chosen
  if (dates === undefined) return { kind: 'waiting' }
  if (dates.length === 0) return { kind: 'queue', officeId }
  if (slots === undefined) return { kind: 'waiting' }
  return time === '' ? { kind: 'full' } : { kind: 'time', officeId, date, time }
}
