import { describe, expect, it } from 'vitest'
import { mayReplaceReport } from './report-rule.ts'

const step = { name: 'sign in', result: 'green', seconds: 1 } as const
const whole = { version: 'HeadlessChrome/106.0.5249.0', steps: [step] }

describe('mayReplaceReport', () => {
  it.each<[string, Parameters<typeof mayReplaceReport>[0], boolean]>([
    ['a whole journey in Chromium 106', whole, true],
    ['another Chromium', { ...whole, version: 'HeadlessChrome/156.0.8078.108' }, false],
    ['a journey that stopped', { ...whole, steps: [step, { ...step, result: 'red' }] }, false],
    ['no journey, because there is no browser', { version: '', steps: [] }, false],
  ])('allows only a whole journey in Chromium 106 to replace the report: %s', (_, journey, expected) => {
    expect(mayReplaceReport(journey)).toBe(expected)
  })
})
