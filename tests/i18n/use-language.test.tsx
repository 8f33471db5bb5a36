import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { type Language, languages } from '#contract/codes.ts'
import type { LanguageSource } from '#i18n/language.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { LanguageProvider } from '#shell/language-provider.tsx'

describe('useLanguage', () => {
  it.each(languages)('returns the language of its provider: %s (NAV21)', language => {
    expect(renderToStaticMarkup(screenIn(language))).toBe(language)
  })
})

function screenIn(language: Language) {
  const state = { language, messages: {} }
  const source: LanguageSource = {
    subscribe: () => () => undefined,
    current: () => state,
    choose: async () => undefined,
    loadMessages: async () => undefined,
  }
  return (
    <LanguageProvider source={source}>
      <ShownLanguage />
    </LanguageProvider>
  )
}

function ShownLanguage() {
  return useLanguage()
}
