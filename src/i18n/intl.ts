import type { MessageFormatElement } from 'react-intl'
import { useIntl } from 'react-intl'
import type { Language } from '#contract/codes.ts'

export type MessageKey = keyof typeof import('./en.json')
/** Not every key has its words from the start: server/build/first-messages.ts. */
export type Messages = Partial<Record<MessageKey, MessageFormatElement[]>>
export type MessageValues = Record<string, string | number>

/** The words of one language that come first; the other language's are not fetched. */
export async function loadFirstMessages(language: Language): Promise<Messages> {
  const words = language === 'fr' ? await import('./fr.json?first') : await import('./en.json?first')
  return words.default
}

/** All the others. */
export async function loadOtherMessages(language: Language): Promise<Messages> {
  const words = language === 'fr' ? await import('./fr.json?rest') : await import('./en.json?rest')
  return words.default
}

/** `t('button.back')`: the words under a key, in the language in force. */
export type Translate = (key: MessageKey, values?: MessageValues) => string

export function useText(): Translate {
  const intl = useIntl()
  return (key, values) => intl.formatMessage({ id: key }, values)
}
