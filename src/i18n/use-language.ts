import { useIntl } from 'react-intl'
import type { Language } from '#contract/codes.ts'
import { toLanguage } from './language.ts'

/** Returns the current language of the page. */
export function useLanguage(): Language {
  return toLanguage(useIntl().locale)
}
