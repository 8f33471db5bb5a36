const dayMs = 24 * 60 * 60 * 1_000

/**
 * Returns the times at which the tests run, as `{ name, at }`. The first four are hours in UTC. The others are days on which
 * calendar code often fails: the last day of a month, and both days on which Paris changes its clocks at 01:00 UTC. Those
 * runs begin shortly before the change. Each is the last such time before `now`.
 *
 * Times in the future do not work: libfaketime shows the real time to a signal handler that interrupts epoll_wait(). The
 * handler of PostgreSQL's deadlock timer would find that its time has not come, and would wait for hours. At a past time the
 * same fault ends a transaction that waits for its client; the caller gets 503. Browser tests sometimes fail because of it, so
 * only the server tests run at these times.
 */
export function listMoments(now) {
  const hours = ['00:05', '10:30', '16:00', '23:50']
  return [
    ...hours.map(name => ({ name, at: lastTime(now, name) })),
    { name: 'month-end', at: lastMonthEnd(now) },
    { name: 'march', at: lastClockChange(now, 2) },
    { name: 'october', at: lastClockChange(now, 9) },
  ]
}

function lastTime(now, hour) {
  const today = new Date(`${now.toISOString().slice(0, 10)}T${hour}:00Z`)
  return today <= now ? today : new Date(today.getTime() - dayMs)
}

/** Ten minutes before the last month ended. */
function lastMonthEnd(now) {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1) - 10 * 60_000)
}

/** Five minutes before the change on the last Sunday of `month`, which counts from 0. */
function lastClockChange(now, month) {
  const [thisYear, lastYear] = [0, -1].map(years => {
    const end = new Date(Date.UTC(now.getUTCFullYear() + years, month + 1, 0))
    return new Date(end.getTime() - end.getUTCDay() * dayMs + 55 * 60_000)
  })
  return thisYear <= now ? thisYear : lastYear
}
