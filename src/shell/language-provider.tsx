import { type ReactNode, useSyncExternalStore } from 'react'
import { IntlProvider } from 'react-intl'
import type { LanguageSource } from '#i18n/language.ts'

type LanguageProviderProps = { source: LanguageSource; children: ReactNode }

/** Gives every screen the words of the language in force; a switch changes all of them at once (NAV21). */
export function LanguageProvider({ source, children }: LanguageProviderProps) {
  const { language, messages } = useSyncExternalStore(source.subscribe, source.current, source.current)
  return (
    <IntlProvider locale={language} defaultLocale="fr" messages={messages} onError={refuseGap}>
      {children}
    </IntlProvider>
  )
}

/** A message that is missing or takes other values is a fault of ours: seen while developing, lived with after. */
function refuseGap(error: Error): void {
  if (import.meta.env.DEV) throw error
}
