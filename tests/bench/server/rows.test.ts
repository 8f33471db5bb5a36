import { describe, expect, it } from 'vitest'
import { figuresOf } from './bench-release-day.ts'
import { rowsOfPages, rowsOfReleaseDay } from './rows.ts'

const booked = { kind: 'booked', busyAnswers: 0, ms: 40 } as const
const failed = { kind: 'failed', busyAnswers: 0, ms: 30_000 } as const

describe('rowsOfReleaseDay', () => {
  it('prints the times of the bookers without a place beside their goal', () => {
    const losers = Array.from(
      { length: 21 },
      (_, index) => ({ kind: 'lost', busyAnswers: 1, ms: 2_100 - index * 100 }) as const,
    )
    expect(rowsOfReleaseDay(figuresOf([booked, ...losers, failed]), 3)).toEqual([
      { name: '23 bookers for 20 places at 3 processes, booked', measured: '1', goal: '20' },
      {
        name: '23 bookers for 20 places at 3 processes, times of those without a place, p50, p95, slowest',
        measured: '1100 ms, 2000 ms, 2100 ms',
        goal: 'p95 ≤ 2,000 ms',
      },
      { name: '23 bookers for 20 places at 3 processes, busy answers (503)', measured: '21', goal: '' },
      { name: '23 bookers for 20 places at 3 processes, failures', measured: '1', goal: '0' },
    ])
  })

  it('interpolates the p95 of three times between the two slowest', () => {
    const losers = [100, 3_000, 200].map(ms => ({ kind: 'lost', busyAnswers: 0, ms }) as const)
    expect(figuresOf(losers).loserTimes?.p95Ms).toBeCloseTo(2_720)
  })

  it('prints "not measured" when no booker was told that the time is taken', () => {
    const times = rowsOfReleaseDay(figuresOf([booked, failed]), 3).find(({ name }) => name.includes('times'))
    expect(times).toMatchObject({ measured: 'not measured', goal: 'p95 ≤ 2,000 ms' })
  })
})

describe('rowsOfPages', () => {
  it('says that the goal limits the p95, and not the median', () => {
    expect(rowsOfPages([{ path: '/mobile', medianMs: 0.9, p95Ms: 5.6 }])).toEqual([
      { name: 'first byte of /mobile, median, p95', measured: '0.9 ms, 5.6 ms', goal: 'p95 ≤ 5 ms' },
    ])
  })
})
