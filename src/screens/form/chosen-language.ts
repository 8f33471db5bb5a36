import { useIntl } from 'react-intl'
import type { Language } from '#contract/codes.ts'
import { toLanguage } from '#i18n/language.ts'

export function useChosenLanguage(): Language {
  return toLanguage(useIntl().locale)
}
