import { describe, expect, it } from 'vitest'
import english from '../../src/i18n/en.json' with { type: 'json' }
import french from '../../src/i18n/fr.json' with { type: 'json' }

/** A clause ends at one of .!?…;: before a space, at the end of a line, or at a curly brace of ICU, but not at a comma. */
const clauseEnd = /[.!?…;:](?=\s|$)|[\n{}]/
const maxWords = 20

/** Not judged: the messages of fields, most of them prescribed (D50), and a prescribed text of the booking (APT06). */
const isExempt = (key: string) => key.startsWith('issue.') || key === 'appointment.noDates'

/** Some words that a child of twelve years does not know. After a French word: what the portal says instead. */
const hardWords = {
  fr: [
    /\bdébit/, // prendre l’argent
    /\bprél[eè]v/, // prendre l’argent
    /\bencaiss/, // recevoir l’argent
    /\babouti/, // réussir
    /\bantérieur/, // avant
    /\bpostérieur/, // après
    /\bultérieur/, // plus tard
    /\bexploitant/, // l’autorité qui gère le service
    /\bhéberge/, // chez qui sont les serveurs
    /\bplafond/, // pas autant d’argent
    /\bsession/, // connexion
    /\bmodalité/, // comment
  ],
  en: [/\bcharged/, /\bprior to/, /\bsubsequent/, /\bhosting/, /\bsession/, /\bsettle[ds]?\b/],
}

describe.each([
  ['French', french, hardWords.fr],
  ['English', english, hardWords.en],
] as const)('the %s texts of the portal', (_, catalogue, words) => {
  const texts = Object.entries(catalogue).filter(([key]) => !isExempt(key))

  it(`have no clause of more than ${maxWords} words (D100)`, () => {
    const long = texts.flatMap(([key, text]) =>
      clausesOf(text)
        .filter(clause => countWords(clause) > maxWords)
        .map(clause => `${key}: ${clause.trim()}`),
    )
    expect(long).toEqual([])
  })

  it('have none of the hard words of the list (D100)', () => {
    const hard = texts.filter(([, text]) => words.some(word => word.test(text.toLowerCase())))
    expect(hard).toEqual([])
  })
})

describe('the count of words', () => {
  // The words of ICU count too, such as `plural`.
  it.each([
    ['Un, deux : trois', [2, 1]],
    ['{count, plural, one {# lettre} other {# lettres}}', [3, 1, 1, 1]],
    ['L’heure de 09:30.', [4]],
  ])('finds the clauses of %j', (text, counts) => {
    expect(
      clausesOf(text)
        .map(countWords)
        .filter(count => count > 0),
    ).toEqual(counts)
  })
})

function clausesOf(text: string): string[] {
  return text.split(clauseEnd)
}

function countWords(clause: string): number {
  return clause.split(/[\s’]+/).filter(word => /[\p{L}\p{N}]/u.test(word)).length
}
