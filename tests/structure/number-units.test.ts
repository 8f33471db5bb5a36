import { describe, expect, it } from 'vitest'
import { keepNumbersWhole, type MessageKey } from '#i18n/intl.ts'
import { flattenCatalogue } from './catalogue.ts'
import { readSources, readText } from './source-tree.ts'

/** What the texts count. */
const units = {
  fr: 's|min|h|%|FCFA|secondes?|minutes?|heures?|jours?|semaines?|mois|ans?|années?|fois|chiffres?|caractères?|lettres?|essais?|pages?|documents?|résultats?|versions?|étapes?|écrans?|élèves?|éléments?',
  en: 's|min|h|%|FCFA|seconds?|minutes?|hours?|days?|weeks?|months?|years?|times?|digits?|characters?|letters?|tries|try|pages?|documents?|results?|versions?|steps?|items?',
} as const
type Language = keyof typeof units
const languages: Language[] = ['fr', 'en']

function readTexts(folder: string, language: Language): [key: string, text: string][] {
  return Object.entries(flattenCatalogue(JSON.parse(readText(`${folder}/${language}.json`))))
}

/**
 * Whether a line may end between a number, a placeholder or the `#` of a plural and its unit. The name of an option, as in
 * `{unit, select, second {s} minute {min}}`, is no unit.
 */
function mayBreak(text: string, language: Language): boolean {
  const withoutNames = text.replaceAll(/(?<=[,}] )(?:second|minute) \{/g, '{')
  return new RegExp(`[\\d}#] (?:${units[language]})(?![\\p{L}\\p{N}])`, 'u').test(withoutNames)
}

/** The text with a number in each place of a value, as the portal shows it. */
function shown(key: string, text: string): string {
  // A key of the catalogue that is read here.
  return keepNumbersWhole(key as MessageKey, text.replaceAll(/\{\w+\}|#/g, '7'))
}

/** The owner of the service prescribes most of these to the letter (S90). */
const isOfficial = (key: string) => /^(?:issue|final\.change)/.test(key)
/** An SMS has no no-break space: its alphabet has none. `code.minutes` and `code.seconds` are also part of an SMS. */
const isForSms = (key: string) => /\.sms(?:\.|$)|^code\.(?:minutes|seconds)$/.test(key)

describe.each(languages)('a number and its unit in the texts in %s', language => {
  it('stay on one line on each screen of the portal (D134)', () => {
    const texts = readTexts('src/i18n', language).filter(([key]) => !isOfficial(key))
    expect(texts.filter(([key, text]) => mayBreak(shown(key, text), language))).toEqual([])
  })

  it.each(['server/i18n', 'server/build/i18n'])('stay on one line in the texts of %s', folder => {
    const texts = readTexts(folder, language).filter(([key]) => !isForSms(key))
    expect(texts.filter(([, text]) => mayBreak(text, language))).toEqual([])
  })
})

describe('the check of numbers and units', () => {
  it.each(['24 heures', '{days} jours', '{n, plural, other {# jours}}', '200 %', '3 étapes', '60 s.'])(
    'finds the plain space in %j',
    text => expect(mayBreak(text, 'fr')).toBe(true),
  )

  it.each(['24\u00a0heures', '{number} est payée', '{day} sans', '12 sur 20'])('accepts %j', text =>
    expect(mayBreak(text, 'fr')).toBe(false),
  )
})

it('shows every text but the application number through useText(), which keeps numbers and units on one line (D134)', () => {
  const callers = readSources('src').filter(({ text }) => /\.formatMessage\(|<FormattedMessage\b/.test(text))
  // The number of an application has no unit.
  expect(callers.map(({ path }) => path)).toEqual(['src/i18n/intl.ts', 'src/summary/application-number.tsx'])
})
