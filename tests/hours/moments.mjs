const dayMs = 24 * 60 * 60 * 1_000

/**
 * Returns the times at which the tests run, as `{ name, at }`. The first four are hours of today in UTC. The others are days
 * on which calendar code often fails: the last day of the month, and the next two days on which Paris changes its clocks at
 * 01:00 UTC. Those runs begin shortly before the change.
 */
export function listMoments(now) {
  const today = now.toISOString().slice(0, 10)
  const hours = ['00:05', '10:30', '16:00', '23:50']
  return [
    ...hours.map(name => ({ name, at: new Date(`${today}T${name}:00Z`) })),
    { name: 'month-end', at: new Date(lastDayOfMonth(now).getTime() + (23 * 60 + 50) * 60_000) },
    { name: 'march', at: new Date(nextLastSunday(now, 2).getTime() + 55 * 60_000) },
    { name: 'october', at: new Date(nextLastSunday(now, 9).getTime() + 55 * 60_000) },
  ]
}

function lastDayOfMonth(now) {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 0))
}

/** `month` counts from 0. Today counts as past, so that the result is never today. */
function nextLastSunday(now, month) {
  const [first, second] = [0, 1].map(years => {
    const end = new Date(Date.UTC(now.getUTCFullYear() + years, month + 1, 0))
    return new Date(end.getTime() - end.getUTCDay() * dayMs)
  })
  return first > now ? first : second
}
