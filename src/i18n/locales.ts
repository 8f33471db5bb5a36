import type { Language } from '#contract/codes.ts'

/** `en-GB`: English in Cameroon writes the day before the month, and times as HH:MM with 24 hours. */
export const locales = { fr: 'fr', en: 'en-GB' } as const satisfies Record<Language, string>
