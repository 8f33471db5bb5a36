import type { MessageFormatElement } from 'react-intl'
import { useIntl } from 'react-intl'
import type { Language } from '#contract/codes.ts'

export type MessageKey = keyof typeof import('./en.json')
/** A parsed ICU message for each key that is loaded. The sign-in pages load first: server/build/first-messages.ts. */
export type Messages = Partial<Record<MessageKey, MessageFormatElement[]>>
export type MessageValues = Record<string, string | number>

/** Loads the messages of the sign-in pages. vite.config.ts defines the import queries `?first` and `?rest`. */
export async function loadFirstMessages(language: Language): Promise<Messages> {
  const module = language === 'fr' ? await import('./fr.json?first') : await import('./en.json?first')
  return module.default
}

/** Loads the messages that `loadFirstMessages` does not load. */
export async function loadOtherMessages(language: Language): Promise<Messages> {
  const module = language === 'fr' ? await import('./fr.json?rest') : await import('./en.json?rest')
  return module.default
}

/** Returns the text of a catalogue key in the current language: `t('button.back')`. */
export type Translate = (key: MessageKey, values?: MessageValues) => string

/** Returns the `Translate` function of the current language, inside a React component. */
export function useText(): Translate {
  const intl = useIntl()
  return (key, values) => intl.formatMessage({ id: key }, values)
}
