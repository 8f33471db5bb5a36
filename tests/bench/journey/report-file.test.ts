import { describe, expect, it } from 'vitest'
import { joinParts } from './report-file.ts'

describe('joinParts', () => {
  const first = joinParts('', new Map([['slow', 'Slow, measured first.\n']]))

  it('writes a report with the rules of counting and only the measured part', () => {
    expect(first).toMatch(/^# Bench of the journey\n/)
    expect(first).toContain('A native select is 2 taps')
    expect(headings(first)).toEqual(['B. On a slow network'])
  })

  it('adds a part in its place and keeps the others', () => {
    const second = joinParts(first, new Map([['counts', 'Counts.']]))
    expect(headings(second)).toEqual(['A. The work of the applicant', 'B. On a slow network'])
    expect(second).toContain('Slow, measured first.')
  })

  it('replaces a part that was measured again', () => {
    const second = joinParts(first, new Map([['slow', 'Slow, measured again.']]))
    expect(second).not.toContain('measured first')
    expect(second).toContain('Slow, measured again.')
    expect(joinParts(second, new Map())).toBe(second)
  })
})

function headings(report: string): string[] {
  return [...report.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading)
}
