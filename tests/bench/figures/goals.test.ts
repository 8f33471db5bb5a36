import { describe, expect, it } from 'vitest'
import { describeGoals } from './goals.ts'
import { describeMachine, readLastReport } from './last-report.ts'
import { pageNames } from './page-names.ts'
import type { Figures, Round } from './rounds.ts'

const machine = 'Xeon, 2 processors, 8 GiB, Node 20.20.1, Chromium 140.0.1'

describe('describeGoals', () => {
  it.each<[string, Figures, string]>([
    ['below the goal', { readyMs: 1_250 }, '| ready ÷ static page | 1.25 | 0.00 | ≤ 1.3 | yes | – |'],
    ['at the goal', { readyMs: 1_300 }, '| ready ÷ static page | 1.30 | 0.00 | ≤ 1.3 | yes | – |'],
    ['above the goal', { readyMs: 1_310 }, '| ready ÷ static page | 1.31 | 0.00 | ≤ 1.3 | **no** | – |'],
    ['not measured', {}, '| ready ÷ static page | not measured | – | ≤ 1.3 | – | – |'],
    [
      'in bytes',
      { bytesAtIdle: 160 * 1_024 },
      '| total transfer when idle, KiB | 160.0 | 0.0 | ≤ 165 | yes | – |',
    ],
  ])('prints the row of a figure %s', (_, portal, line) => {
    expect(describeGoals([roundOf(portal)], undefined).split('\n')).toContain(line)
  })

  it('takes one ratio of each round, and prints their median and interquartile range', () => {
    const rounds = [1_100, 1_200, 1_300, 1_200, 1_210].map(readyMs => roundOf({ readyMs }))
    expect(describeGoals(rounds, undefined)).toContain(
      '| ready ÷ static page, next goal | 1.20 | 0.01 | ≤ 1.2 | yes | – |',
    )
  })

  it('compares with the last report of the same machine', () => {
    const last = reportOf({ readyMs: 1_200, warmMs: 600 })
    const now = describeGoals([roundOf({ readyMs: 1_248, warmMs: 570 })], readLastReport(last, machine))
    expect(now).toContain('| ready ÷ static page | 1.25 | 0.00 | ≤ 1.3 | yes | +4.2 % |')
    expect(now).toContain('| warm ÷ static page with a worker | 1.14 | 0.00 | ≤ 1.7 | yes | −5.0 % |')
    expect(now).toContain(
      'differ from those of 2026-11-01 by at most 5.0 % (warm ÷ static page with a worker)',
    )
  })

  it('compares with nothing when the last report is of another machine, or there is none', () => {
    const other = readLastReport(reportOf({ readyMs: 1_200 }), machine.replace('2', '16'))
    expect([other, readLastReport('', machine)]).toEqual([undefined, undefined])
    expect(describeGoals([roundOf({ readyMs: 1_200 })], other)).toContain('There was no earlier report')
  })

  it('says that nothing is compared when the last report of the same machine shares no measured ratio', () => {
    const last = reportOf({ warmMs: 600 })
    const now = describeGoals([roundOf({ readyMs: 1_200 })], readLastReport(last, machine))
    expect(now).toContain('| ready ÷ static page | 1.20 | 0.00 | ≤ 1.3 | yes | – |')
    expect(now).toContain(
      'The report of 2026-11-01 and this run share no measured ratio, so nothing is compared.',
    )
    expect(now).not.toContain('There was no earlier report')
  })
})

function reportOf(portal: Figures): string {
  const aligned = describeGoals([roundOf(portal)], undefined).replaceAll(' |', '    |')
  return `# Bench\n\n${describeMachine(machine, '2026-11-01')}\n\n${aligned}\n`
}

function roundOf(portal: Figures): Round {
  return new Map<string, Figures>([
    [pageNames.staticPage, { readyMs: 1_000 }],
    [pageNames.worker, { warmMs: 500 }],
    [pageNames.portal, portal],
  ])
}
