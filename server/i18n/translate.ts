import { createIntl, createIntlCache, type IntlShape } from '@formatjs/intl'
import type { Language } from '#contract/codes.ts'
import en from './en.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }

/**
 * A key of the catalogues `fr.json` and `en.json`, which have the texts of the server for applicants and offices, as ICU
 * messages. Texts for operators are in English only, in the code.
 */
export type TextKey = keyof typeof fr

/** Returns the text of a key with its placeholders filled in. */
export type Translate = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string

/** `satisfies` makes the compilation fail when `en.json` lacks a key of `fr.json`; a test finds the reverse. */
const catalogues = { fr, en } satisfies Record<Language, Record<TextKey, string>>

const cache = createIntlCache()
const translators: Record<Language, Translate> = { fr: createTranslate('fr'), en: createTranslate('en') }

/**
 * Returns the function that translates keys into this language.
 *
 * @throws from the returned function, when a placeholder has no value
 */
export function translateTo(language: Language): Translate {
  return translators[language]
}

/** Whether the catalogues have this key; for keys that are composed from stored values. */
export function isTextKey(key: string): key is TextKey {
  return Object.hasOwn(fr, key)
}

function createTranslate(language: Language): Translate {
  const intl: IntlShape = createIntl(
    {
      locale: language,
      defaultLocale: language,
      messages: catalogues[language],
      onError: error => {
        throw error
      },
    },
    cache,
  )
  return (key, values) => intl.formatMessage({ id: key }, values)
}
