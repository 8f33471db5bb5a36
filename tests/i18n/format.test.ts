import { describe, expect, it } from 'vitest'
import { formatDay, formatMoment } from '#i18n/format-date.ts'
import { formatDuration } from '#i18n/format.ts'

describe('formatMoment', () => {
  it('writes the first day of a month as an ordinal in French', () => {
    expect(formatMoment('2027-01-01T08:01:00Z', 'fr')).toMatch(/^1er janvier 2027/)
    expect(formatMoment('2026-12-11T08:01:00Z', 'fr')).toMatch(/^11 décembre 2026/)
  })
})

describe('formatDay', () => {
  it.each([
    ['2027-01-01', 'fr', 'vendredi 1er janvier 2027'],
    ['2026-12-11', 'fr', 'vendredi 11 décembre 2026'],
    ['2026-12-21T09:00:00', 'fr', 'lundi 21 décembre 2026'],
    // Platforms differ in the comma, so the test removes it.
    ['2027-01-01', 'en', 'Friday 1 January 2027'],
  ] as const)('formats %s in %s as %s', (day, language, text) => {
    expect(formatDay(day, language).replace(',', '')).toBe(text)
  })
})

describe('formatDuration', () => {
  it.each([
    [300, 'fr', '5 minutes'],
    [60, 'fr', '1 minute'],
    [90, 'fr', '90 secondes'],
    [300, 'en', '5 minutes'],
    [16, 'en', '16 seconds'],
  ] as const)('writes %d s in %s as %s', (seconds, language, text) => {
    expect(formatDuration(seconds, language).replace(/\s/g, ' ')).toBe(text)
  })
})
