import { homeTimeZone, type Language } from '#contract/codes.ts'

/** English as it is written in Cameroon: the day before the month. */
const locales = { fr: 'fr', en: 'en-GB' } as const satisfies Record<Language, string>

/** An amount of the currency's smallest usual unit, as people write it: 110 000 FCFA, FCFA 110,000. */
export function formatAmount(amount: number, currency: string, language: Language): string {
  try {
    return new Intl.NumberFormat(locales[language], {
      style: 'currency',
      currency,
      maximumFractionDigits: 0,
    }).format(amount)
  } catch {
    return `${amount} ${currency}` // not a currency code: show what the server said
  }
}

/** Day, month by name and year of a calendar day, without any time zone. */
export function formatDay(day: string, language: Language): string {
  const [year = 0, month = 1, date = 1] = day.slice(0, 10).split('-').map(Number)
  const format = new Intl.DateTimeFormat(locales[language], {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
  return withFirst(format.format(new Date(Date.UTC(year, month - 1, date))), language)
}

/** French counts the first day of a month, and Intl does not know. */
function withFirst(text: string, language: Language): string {
  if (language !== 'fr') return text
  return text.replace(/(^|\s)1(?=\s\p{L})/u, (_, before: string) => `${before}1er`)
}

/** An instant as the clocks at home show it, wherever the phone is. */
export function formatMoment(instant: string, language: Language): string {
  const format = new Intl.DateTimeFormat(locales[language], {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: homeTimeZone,
  })
  return withFirst(format.format(new Date(instant)), language)
}

/** As `formatMoment`, for a moment of today: the hour is enough. */
export function formatTime(instant: string, language: Language): string {
  return new Intl.DateTimeFormat(locales[language], {
    hour: '2-digit',
    minute: '2-digit',
    timeZone: homeTimeZone,
  }).format(new Date(instant))
}
