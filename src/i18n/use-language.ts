import { useIntl } from 'react-intl'
import { defaultLanguage, type Language, languages } from '#contract/codes.ts'
import { locales } from './locales.ts'

/** Returns the current language of the page. */
export function useLanguage(): Language {
  const { locale } = useIntl()
  return languages.find(language => locales[language] === locale) ?? defaultLanguage
}
