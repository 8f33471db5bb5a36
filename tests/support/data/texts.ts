import type { Language } from '#contract/codes.ts'
import en from '#i18n/en.json'
import fr from '#i18n/fr.json'

export type Key = keyof typeof en

/** The words on the screen, as a person reads them: tests find things by these. */
export function textsOf(language: Language): (key: Key, values?: Record<string, string | number>) => string {
  const catalogue: Record<Key, string> = language === 'fr' ? fr : en
  return (key, values = {}) =>
    Object.entries(values).reduce(
      (text, [name, value]) => text.replaceAll(`{${name}}`, String(value)),
      catalogue[key],
    )
}
