import type { BookingSelection } from './booking-selection.ts'

/**
 * A selection that cannot be changed or cancelled after the booking. `limit`: the application would have no change left.
 * `time`: the selected time is too soon; `laterDay` is the first offered day of which each time could still be changed,
 * undefined without such a day.
 */
export type FinalChoice = { kind: 'limit' } | { kind: 'time'; laterDay: string | undefined }

type Offer = {
  /** The earliest start that could still be changed (D43, `AvailableDates`); null: none; undefined: the server does not say. */
  changeableFrom: string | null | undefined
  dates: readonly string[] | undefined
}

/** Undefined while nothing can be booked, when the appointment could still be changed, and when the server does not say. */
export function finalChoiceOf(
  selection: BookingSelection,
  { changeableFrom, dates = [] }: Offer,
): FinalChoice | undefined {
  if (selection.kind !== 'time' && selection.kind !== 'queue') return undefined
  if (changeableFrom === null) return { kind: 'limit' }
  if (changeableFrom === undefined || selection.kind === 'queue') return undefined
  if (`${selection.date}T${selection.time}` >= changeableFrom) return undefined
  const day = changeableFrom.slice(0, '2026-12-01'.length)
  // Some times of that very day may be too soon.
  return { kind: 'time', laterDay: dates.find(date => date > day) }
}
