import type { Language } from '#contract/codes.ts'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { createObservable } from '#device/observable.ts'
import { type LaterMessageGroup, loadMessageGroup, type MessageGroup, type Messages } from './intl.ts'

type LanguageMessages = { language: Language; messages: Messages }

/** The current language and its messages. A switch changes both at once, after the other catalogue has loaded. */
export type LanguageSource = {
  current: () => LanguageMessages
  subscribe: (listener: () => void) => () => void
  /** Switches after the other catalogue has loaded; rejects if it does not load. A later choice cancels this one. */
  choose: (language: Language) => Promise<void>
  /**
   * Loads messages that the prerendered pages do not have. Callers wait for this before they render what needs these
   * messages. Rejects when every attempt to load them fails.
   */
  loadMessages: (group: LaterMessageGroup) => Promise<void>
}

export async function createLanguage(
  first: Language,
  onChosen: (language: Language) => void,
): Promise<LanguageSource> {
  /** The groups that the messages of one language have. */
  const loadedGroups = new WeakMap<Messages, Set<MessageGroup>>()
  /** The groups that a screen of this page has needed: a language that is chosen later gets them too. */
  const needed = new Set<MessageGroup>(['first'])
  const source = createObservable<LanguageMessages>({
    language: first,
    messages: { ...(await loadWithRetry(() => loadMessageGroup(first, 'first'))) },
  })

  let lastChosen: LanguageMessages | undefined

  const has = (messages: Messages, group: MessageGroup) => loadedGroups.get(messages)?.has(group) === true

  async function add({ language, messages }: LanguageMessages, group: MessageGroup) {
    Object.assign(messages, await loadMessageGroup(language, group))
    loadedGroups.set(messages, (loadedGroups.get(messages) ?? new Set()).add(group))
  }

  return {
    current: source.state,
    subscribe: source.subscribe,
    async choose(language) {
      const chosen: LanguageMessages = { language, messages: {} }
      lastChosen = chosen
      const missing = () => [...needed].filter(group => !has(chosen.messages, group))
      // A loop, because the applicant may open a screen that needs more messages during the load.
      while (missing()[0]) await Promise.all(missing().map(group => add(chosen, group)))
      // A later choice has cancelled this one.
      if (lastChosen !== chosen) return
      onChosen(language)
      source.setState(chosen)
    },
    async loadMessages(group) {
      // A loop, because the applicant may switch the language during the load. No listener is called, because the page
      // that is shown uses none of these messages.
      while (!has(source.state().messages, group)) await loadWithRetry(() => add(source.state(), group))
      needed.add(group)
    },
  }
}
