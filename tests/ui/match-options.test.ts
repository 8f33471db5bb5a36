import { describe, expect, it } from 'vitest'
import { matchOptions } from '#ui/match-options.ts'

const places = [
  { label: 'Cameroun' },
  { label: 'Côte d’Ivoire' },
  { label: 'République tchèque' },
  { label: 'Guinée équatoriale' },
  { label: 'Guinée' },
  { label: 'Poumougne', aka: 'Bandjoun' },
  { label: 'Commerçant(e)' },
]

function found(typed: string): string[] {
  return matchOptions(places, typed).map(({ label }) => label)
}

describe('matchOptions', () => {
  it.each([
    ['cote', ['Côte d’Ivoire']],
    ['COTE IVO', ['Côte d’Ivoire']],
    ['d’iv', ['Côte d’Ivoire']],
    ['guinee', ['Guinée équatoriale', 'Guinée']],
    ['tch', ['République tchèque']],
    ['bandj', ['Poumougne']],
    ['commercant', ['Commerçant(e)']],
    ['meroun', []],
    ['zz', []],
  ])(
    'matches the starts of words of the label and of other names, without regard to accents and case: %j',
    (typed, expected) => {
      expect(found(typed)).toEqual(expected)
    },
  )

  it.each(['', '  '])('finds nothing when nothing is typed: %j', typed => {
    expect(found(typed)).toEqual([])
  })

  it('returns options whose label starts with the typed text first', () => {
    const options = [{ label: 'Nouvelle-Guinée' }, { label: 'Guinée' }]
    expect(matchOptions(options, 'gui').map(({ label }) => label)).toEqual(['Guinée', 'Nouvelle-Guinée'])
  })
})
