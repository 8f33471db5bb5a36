import type { MessageFormatElement } from 'react-intl'
import { useIntl } from 'react-intl'
import type { Language } from '#contract/codes.ts'

export type MessageKey = keyof typeof import('./en.json')
/** A parsed ICU message for each loaded key. Those of the sign-in pages load first: server/build/message-groups.ts. */
export type Messages = Partial<Record<MessageKey, MessageFormatElement[]>>
export type MessageValues = Record<string, string | number>

/** The parts of a catalogue; server/build/message-groups.ts says which messages belong to each. */
export type MessageGroup = 'first' | LaterMessageGroup
/** The parts that the prerendered pages do not have. Each part loads later, before a screen needs it. */
export type LaterMessageGroup = 'verify' | 'help' | 'legal' | 'tools' | 'rest'

/** Loads one part of a catalogue. vite.config.ts defines the import queries `?first`, `?verify` and so on. */
export async function loadMessageGroup(language: Language, group: MessageGroup): Promise<Messages> {
  return (await groupFiles[language][group]()).default
}

const groupFiles = {
  fr: {
    first: () => import('./fr.json?first'),
    verify: () => import('./fr.json?verify'),
    help: () => import('./fr.json?help'),
    legal: () => import('./fr.json?legal'),
    tools: () => import('./fr.json?tools'),
    rest: () => import('./fr.json?rest'),
  },
  en: {
    first: () => import('./en.json?first'),
    verify: () => import('./en.json?verify'),
    help: () => import('./en.json?help'),
    legal: () => import('./en.json?legal'),
    tools: () => import('./en.json?tools'),
    rest: () => import('./en.json?rest'),
  },
} satisfies Record<Language, Record<MessageGroup, () => Promise<{ default: Messages }>>>

/** Returns the text of a catalogue key in the current language: `t('button.back')`. */
export type Translate = (key: MessageKey, values?: MessageValues) => string

/** Returns the `Translate` function of the current language, inside a React component. */
export function useText(): Translate {
  const intl = useIntl()
  return (key, values) => keepNumbersWhole(key, intl.formatMessage({ id: key }, values))
}

/**
 * Puts a no-break space between a number and the digit or word after it: a part of a phone number, a unit, a month
 * (D134), but not before an accented letter, as in `2026 à`. The texts with numbers that the owner of the service
 * prescribes stay to the letter (S90).
 */
export function keepNumbersWhole(key: MessageKey, text: string): string {
  return /^(issue|final\.change)/.test(key) ? text : text.replace(/(\d) (?=\w)/g, '$1\u00a0')
}
