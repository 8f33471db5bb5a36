import { type ReactNode } from 'react'
import { IntlProvider } from 'react-intl'
import type { LanguageSource } from '#i18n/language.ts'
import { locales } from '#i18n/locales.ts'
import { useSnapshot } from '#ui/use-snapshot.ts'

type LanguageProviderProps = { source: LanguageSource; children: ReactNode }

/** Provides the messages of the current language; a switch re-renders every screen at once (NAV21). */
export function LanguageProvider({ source, children }: LanguageProviderProps) {
  const { language, messages } = useSnapshot(source.subscribe, source.current)
  return (
    <IntlProvider
      locale={locales[language]}
      defaultLocale="fr"
      messages={messages}
      onError={throwInDevelopment}
    >
      {children}
    </IntlProvider>
  )
}

/** Throws when a message is missing or lacks a value; in production the page shows the key instead. */
function throwInDevelopment(error: Error): void {
  if (import.meta.env.DEV) throw error
}
