import type { Language } from '#contract/codes.ts'
import { defaultLanguage, languages } from '#contract/codes.ts'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { loadFirstMessages, loadOtherMessages, type Messages } from './intl.ts'

export type DeletionMessages = { language: Language; messages: Messages }

/** The language in force and its words: switched as a whole, once the other catalogue is here. */
export type LanguageSource = {
  current: () => DeletionMessages
  subscribe: (listener: () => void) => () => void
  choose: (language: Language) => Promise<void>
  /** Brings the words that the sign-in pages do without; until then no other screen is drawn. */
  loadOtherMessages: () => Promise<void>
}

export async function createLanguage(
  first: Language,
  onChosen: (language: Language) => void,
): Promise<LanguageSource> {
  const listeners = new Set<() => void>()
  const complete = new WeakSet<Messages>()
  let isWhole = false
  let current: DeletionMessages = { language: first, messages: { ...(await loadFirstMessages(first)) } }

  async function fill({ language, messages }: DeletionMessages) {
    Object.assign(messages, await loadOtherMessages(language))
    complete.add(messages)
  }

  return {
    current: () => current,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async choose(language) {
      const chosen: DeletionMessages = { language, messages: {} }
      const [firstMessages] = await Promise.all([loadFirstMessages(language), isWhole && fill(chosen)])
      Object.assign(chosen.messages, firstMessages)
      // Another screen may have been opened meanwhile.
      if (isWhole && !complete.has(chosen.messages)) await fill(chosen)
      current = chosen
      onChosen(language)
      for (const listener of listeners) listener()
    },
    async loadOtherMessages() {
      // The language may be switched while its words are on their way. What is drawn shows none of them: it stays.
      while (!complete.has(current.messages)) await loadWithRetry(() => fill(current))
      isWhole = true
    },
  }
}

export function toLanguage(locale: string): Language {
  return languages.find(language => language === locale) ?? defaultLanguage
}
