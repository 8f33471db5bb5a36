import { describe, expect, it } from 'vitest'
import { chooseParts } from './parts.ts'

const usual = ['bookings', 'journeys', 'release-days', 'starts', 'pages']

function namesOf(options: { only?: string; applications?: string }): string[] {
  return chooseParts({ minutes: '3', seconds: '8', rounds: '4', ...options }).map(({ name }) => name)
}

describe('chooseParts', () => {
  it.each<[string, Parameters<typeof namesOf>[0], string[]]>([
    ['the usual parts when no option chooses', {}, usual],
    ['the part that --only names', { only: 'pages' }, ['pages']],
    ['the soak only when --only names it', { only: 'soak' }, ['soak']],
    ['the large tables when --only names them', { only: 'large-tables' }, ['large-tables']],
    ['the large tables for --applications', { applications: '5' }, ['large-tables']],
    [
      'the large tables when --only names them beside --applications',
      { only: 'large-tables', applications: '5' },
      ['large-tables'],
    ],
  ])('returns %s', (_, options, names) => {
    expect(namesOf(options)).toEqual(names)
  })

  it('throws the names of all parts when --only names no part', () => {
    expect(() => namesOf({ only: 'page' })).toThrow([...usual, 'soak', 'large-tables'].join(', '))
  })

  it('throws when --applications comes with a part that has no number of applications', () => {
    expect(() => namesOf({ only: 'bookings', applications: '5' })).toThrow('--applications')
  })
})
