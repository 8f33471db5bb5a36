import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { type Language, languages } from '#contract/codes.ts'
import type { LanguageSource } from '#i18n/language.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { LanguageProvider } from '#shell/language-provider.tsx'

describe('the language of a screen', () => {
  it.each(languages)('is the language of the page: %s (NAV21)', language => {
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
      <Shown />
    </LanguageProvider>
  )
}

function Shown() {
  return useLanguage()
}
