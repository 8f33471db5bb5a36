/** Minutes east of Greenwich. */
type Offset = number
/** A change of the clocks of a zone. `at`: the moment of the change in the old local time, `2026-03-29T02:00:00`. */
type ZoneChange = { at: string; from: Offset; to: Offset }
/** `first`: the offset when the year begins in UTC. `standard`: the smallest offset of the year. */
export type ZoneYear = { first: Offset; standard: Offset; changes: ZoneChange[] }

const minuteMs = 60_000
/** No zone changes its clocks twice within a week. */
const weekMs = 7 * 24 * 60 * minuteMs

/**
 * Returns the offsets of a zone in one year, as `Intl` of this browser knows them.
 * @throws RangeError for an unknown zone
 */
export function zoneYear(timeZone: string, year: number): ZoneYear {
  const offsetAt = offsetsOf(timeZone)
  const first = offsetAt(Date.UTC(year, 0, 1))
  const changes: ZoneChange[] = []
  const yearEnd = Date.UTC(year + 1, 0, 1)
  for (let start = Date.UTC(year, 0, 1); start < yearEnd; start += weekMs) {
    const end = Math.min(start + weekMs, yearEnd)
    const [from, to] = [offsetAt(start), offsetAt(end)]
    if (from === to) continue
    const instant = findChange(offsetAt, start, end)
    changes.push({ at: showLocal(instant + from * minuteMs), from, to })
  }
  return { first, standard: Math.min(first, ...changes.map(({ to }) => to)), changes }
}

/** Finds the minute of the change by bisection. */
function findChange(offsetAt: (instant: number) => Offset, start: number, end: number): number {
  const before = offsetAt(start)
  let [low, high] = [start, end]
  while (high - low > minuteMs) {
    const middle = low + Math.floor((high - low) / 2 / minuteMs) * minuteMs
    if (offsetAt(middle) === before) low = middle
    else high = middle
  }
  return high
}

function offsetsOf(timeZone: string): (instant: number) => Offset {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  return instant => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]))
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
    const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'))
    return (local - instant) / minuteMs
  }
}

function showLocal(instant: number): string {
  return new Date(instant).toISOString().slice(0, 19)
}
