import type { Language } from '#contract/codes.ts'
import { defaultLanguage, languages } from '#contract/codes.ts'
import { loadMessages, type Messages } from './intl.ts'

export type Words = { language: Language; messages: Messages }

/** The language in force and its words: switched as a whole, once the other catalogue is here. */
export type LanguageSource = {
  current: () => Words
  subscribe: (listener: () => void) => () => void
  choose: (language: Language) => Promise<void>
}

export async function createLanguage(
  first: Language,
  onChosen: (language: Language) => void,
): Promise<LanguageSource> {
  const listeners = new Set<() => void>()
  let words: Words = { language: first, messages: await loadMessages(first) }
  return {
    current: () => words,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async choose(language) {
      words = { language, messages: await loadMessages(language) }
      onChosen(language)
      for (const listener of listeners) listener()
    },
  }
}

export function toLanguage(locale: string): Language {
  return languages.find(language => language === locale) ?? defaultLanguage
}
