import type { MessageFormatElement } from 'react-intl'
import { useIntl } from 'react-intl'
import type { Language } from '#contract/codes.ts'

export type MessageKey = keyof typeof import('./en.json')
export type Messages = Record<MessageKey, MessageFormatElement[]>
export type MessageValues = Record<string, string | number>

/** The words of one language; the other language's are not fetched. */
export async function loadMessages(language: Language): Promise<Messages> {
  const catalogue = language === 'fr' ? await import('./fr.json?parsed') : await import('./en.json?parsed')
  return catalogue.default
}

/** `t('button.back')`: the words under a key, in the language in force. */
export type Translate = (key: MessageKey, values?: MessageValues) => string

export function useText(): Translate {
  const intl = useIntl()
  return (key, values) => intl.formatMessage({ id: key }, values)
}
