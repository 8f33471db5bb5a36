import type { Language } from '#contract/codes.ts'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { createObservable } from '#device/observable.ts'
import { loadFirstMessages, loadOtherMessages, type Messages } from './intl.ts'

type LanguageMessages = { language: Language; messages: Messages }

/** The current language and its messages. A switch changes both at once, after the other catalogue has loaded. */
export type LanguageSource = {
  current: () => LanguageMessages
  subscribe: (listener: () => void) => () => void
  choose: (language: Language) => Promise<void>
  /** Loads the messages that the sign-in pages do not need. Guards await it before other screens render. */
  loadOtherMessages: () => Promise<void>
}

export async function createLanguage(
  first: Language,
  onChosen: (language: Language) => void,
): Promise<LanguageSource> {
  const complete = new WeakSet<Messages>()
  let needsAll = false
  const source = createObservable<LanguageMessages>({
    language: first,
    messages: { ...(await loadFirstMessages(first)) },
  })

  async function fill({ language, messages }: LanguageMessages) {
    Object.assign(messages, await loadOtherMessages(language))
    complete.add(messages)
  }

  return {
    current: source.state,
    subscribe: source.subscribe,
    async choose(language) {
      const chosen: LanguageMessages = { language, messages: {} }
      const [firstMessages] = await Promise.all([loadFirstMessages(language), needsAll && fill(chosen)])
      Object.assign(chosen.messages, firstMessages)
      // The applicant may have opened a screen that needs all messages during the load.
      if (needsAll && !complete.has(chosen.messages)) await fill(chosen)
      onChosen(language)
      source.setState(chosen)
    },
    async loadOtherMessages() {
      // The applicant may switch the language during the load. No listener runs: the shown page needs none of them.
      while (!complete.has(source.state().messages)) await loadWithRetry(() => fill(source.state()))
      needsAll = true
    },
  }
}
