import { describe, expect, it } from 'vitest'
import { checkAnswers, Draft } from '#contract/application.ts'
import { normaliseName } from '#contract/fields.ts'

describe('a name (PER03)', () => {
  it.each([
    ['a zero-width space', 'Ngo\u200b Biyong', 'Ngo Biyong'],
    ['direction marks', 'Ngo\u200e\u200f\u061c Biyong', 'Ngo Biyong'],
    ['overrides and isolates', '\u202eNgo\u202c \u2067Biyong\u2069', 'Ngo Biyong'],
    ['a soft hyphen and a byte order mark', '\ufeffNgo Bi\u00adyong', 'Ngo Biyong'],
    ['control characters', 'Ngo\u0007 \u001b[31mBiyong', 'Ngo [31mBiyong'],
    ['a tab and a line break', 'Ngo\t\nBiyong', 'Ngo Biyong'],
    ['a space between invisible characters', 'Ngo \u200b Biyong \u2060', 'Ngo Biyong'],
    ['several joiners', 'a\u200c\u200db \u200c\u200dc\u200d\u200c', 'ab c'],
    ['joiners without letters', '\u200dNgo\u200c Biyong\u200d', 'Ngo Biyong'],
  ])('loses %s (D97)', (_, typed, name) => {
    expect(normaliseName(typed)).toBe(name)
    expect(normaliseName(name)).toBe(name)
  })

  it.each(['a\u200cb', 'क\u094d\u200dष', 'N’Guessan', 'מָ\u05d0'])(
    'keeps an apostrophe, a vowel sign, and a joiner that is between letters: %s',
    name => {
      expect(normaliseName(name)).toBe(name)
    },
  )
})

describe('an answer (D97)', () => {
  it.each([
    ['travelDestination', 'Ga\0bon', 'not-valid'],
    ['travelDestination', 'Gabon\ud800', 'not-valid'],
    ['travelDestination', '\udc00Gabon', 'not-valid'],
    ['surname', 'Ng\0o', 'not-valid'],
    ['email', 'a\0@b.cm', 'not-valid'],
    ['travelDestination', `\0${'a'.repeat(100)}`, 'too-long-100'],
  ])('is refused in %s when the database cannot store it: %j', (field, answer, code) => {
    expect(checkAnswers(Draft, { [field]: answer })).toEqual({ kind: 'faults', issues: [{ field, code }] })
  })

  it('is accepted when it has a letter outside the basic plane', () => {
    expect(checkAnswers(Draft, { travelDestination: '𝒜' }).kind).toBe('form')
  })
})
