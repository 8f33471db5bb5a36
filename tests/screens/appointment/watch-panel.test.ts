import { describe, expect, it } from 'vitest'
import { mayWatch } from '#screens/appointment/watch-panel.tsx'

const now = '2026-11-21T17:00:00.000Z'

describe('mayWatch (F10)', () => {
  it.each([
    [[], true],
    [['2026-11-23', '2027-01-04'], false],
    [['2026-12-05'], false],
    [['2026-12-06'], true],
  ])('decides by the first date: %j gives %s', (dates, offered) => {
    expect(mayWatch(dates, now)).toBe(offered)
  })

  it('offers the watch only without any date while the time of the server is unknown', () => {
    expect(mayWatch(['2026-12-31'], undefined)).toBe(false)
    expect(mayWatch([], undefined)).toBe(true)
  })
})
