import { describe, expect, it } from 'vitest'
import { mayWatch } from '#screens/appointment/may-watch.ts'

const now = '2026-11-21T17:00:00.000Z'

describe('being told of an earlier date (F10)', () => {
  it.each([
    [[], true],
    [['2026-11-23', '2027-01-04'], false],
    [['2026-12-05'], false],
    [['2026-12-06'], true],
  ])('with the dates %j it is offered: %s', (dates, offered) => {
    expect(mayWatch(dates, now)).toBe(offered)
  })

  it('is not offered for a date while the server’s time is not known', () => {
    expect(mayWatch(['2026-12-31'], undefined)).toBe(false)
    expect(mayWatch([], undefined)).toBe(true)
  })
})
