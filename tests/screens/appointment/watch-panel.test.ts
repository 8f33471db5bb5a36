import { describe, expect, it } from 'vitest'
import { offersWatch } from '#screens/appointment/watch-panel.tsx'

const now = '2026-11-21T17:00:00.000Z'

describe('offersWatch (F10)', () => {
  it.each([
    [[], true],
    [['2026-11-23', '2027-01-04'], false],
    [['2026-12-05'], false],
    [['2026-12-06'], true],
  ])(
    'is true without a date, and when the first date begins at least 14 times 24 hours from now: %j gives %s',
    (dates, result) => {
      expect(offersWatch(dates, now)).toBe(result)
    },
  )

  it('is true without a date, and false with any, while the time of the server is unknown', () => {
    expect(offersWatch(['2026-12-31'], undefined)).toBe(false)
    expect(offersWatch([], undefined)).toBe(true)
  })
})
