import type { MessageFormatElement } from 'react-intl'
import { useIntl } from 'react-intl'
import type { Language } from '#contract/codes.ts'

export type MessageKey = keyof typeof import('./en.json')
/** The messages that are loaded so far: see server/build/first-messages.ts. */
export type Messages = Partial<Record<MessageKey, MessageFormatElement[]>>
export type MessageValues = Record<string, string | number>

/** Loads the messages of the sign-in pages in one language. */
export async function loadFirstMessages(language: Language): Promise<Messages> {
  const module = language === 'fr' ? await import('./fr.json?first') : await import('./en.json?first')
  return module.default
}

/** Loads all other messages of that language. */
export async function loadOtherMessages(language: Language): Promise<Messages> {
  const module = language === 'fr' ? await import('./fr.json?rest') : await import('./en.json?rest')
  return module.default
}

/** Returns the text of a catalogue key in the current language: `t('button.back')`. */
export type Translate = (key: MessageKey, values?: MessageValues) => string

export function useText(): Translate {
  const intl = useIntl()
  return (key, values) => intl.formatMessage({ id: key }, values)
}
