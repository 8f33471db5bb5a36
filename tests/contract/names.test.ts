import { describe, expect, it } from 'vitest'
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
    ['joiners without letters', '\u200dNgo\u200c Biyong\u200d', 'Ngo Biyong'],
  ])('loses %s (D97)', (_, typed, name) => {
    expect(normaliseName(typed)).toBe(name)
    expect(normaliseName(name)).toBe(name)
  })

  it.each(['a\u200cb', 'क\u094d\u200dष', 'N’Guessan', 'מָ\u05d0'])(
    'keeps the joiners between letters: %s',
    name => {
      expect(normaliseName(name)).toBe(name)
    },
  )
})
