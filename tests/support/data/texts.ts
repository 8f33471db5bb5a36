import type { Language } from '#contract/codes.ts'
import en from '#i18n/en.json'
import fr from '#i18n/fr.json'
import { keepNumbersWhole } from '#i18n/intl.ts'

export type Key = keyof typeof en

/** The accessible name of the button with this text. The button of a new application also says for whom: "For me". */
export function buttonName(t: (key: Key) => string, key: Key): string {
  return key === 'procedure.new' ? `${t('for.me')} ${t(key)}` : t(key)
}

/**
 * Returns the texts of the screen in this language; tests find controls by them. Replaces `{name}`, but leaves plurals and
 * choices as they are in the catalogue.
 */
export function textsOf(language: Language): (key: Key, values?: Record<string, string | number>) => string {
  const catalogue: Record<Key, string> = language === 'fr' ? fr : en
  return (key, values = {}) =>
    keepNumbersWhole(
      key,
      Object.entries(values).reduce(
        (text, [name, value]) => text.replaceAll(`{${name}}`, String(value)),
        catalogue[key],
      ),
    )
}
