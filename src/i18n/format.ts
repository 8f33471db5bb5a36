import { homeTimeZone, type Language } from '#contract/codes.ts'
import { locales } from './locales.ts'

/** Formats an amount in whole units of the currency: `110 000 FCFA` in French, `FCFA 110,000` in English. */
export function formatAmount(amount: number, currency: string, language: Language): string {
  try {
    return new Intl.NumberFormat(locales[language], {
      style: 'currency',
      currency,
      maximumFractionDigits: 0,
    }).format(amount)
  } catch {
    return `${amount} ${currency}` // the currency of the server is no currency code
  }
}

/** Formats a calendar day with weekday and month name, in no time zone. Ignores what follows YYYY-MM-DD in the text. */
export function formatDay(day: string, language: Language): string {
  const [year = 0, month = 1, date = 1] = day.slice(0, 10).split('-').map(Number)
  const format = new Intl.DateTimeFormat(locales[language], {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
  return withFirstDay(format.format(new Date(Date.UTC(year, month - 1, date))), language)
}

/** French writes the first day of a month as an ordinal: 1er janvier. Intl writes 1 janvier. */
function withFirstDay(text: string, language: Language): string {
  if (language !== 'fr') return text
  return text.replace(/(^|\s)1(?=\s\p{L})/u, (_, before: string) => `${before}1er`)
}

/** Formats an ISO instant as date and time in the time zone of Cameroon, not of the phone. */
export function formatMoment(instant: string, language: Language): string {
  const format = new Intl.DateTimeFormat(locales[language], {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: homeTimeZone,
  })
  return withFirstDay(format.format(new Date(instant)), language)
}

/** Formats an ISO instant as a time, without its day, in the time zone of Cameroon. */
export function formatTime(instant: string, language: Language): string {
  return new Intl.DateTimeFormat(locales[language], {
    hour: '2-digit',
    minute: '2-digit',
    timeZone: homeTimeZone,
  }).format(new Date(instant))
}

/** Formats a duration in words, in minutes if it is whole minutes, else in seconds: `5 minutes`, `90 seconds`. */
export function formatDuration(seconds: number, language: Language): string {
  const isWhole = seconds % 60 === 0
  return new Intl.NumberFormat(locales[language], {
    style: 'unit',
    unit: isWhole ? 'minute' : 'second',
    unitDisplay: 'long',
  }).format(isWhole ? seconds / 60 : seconds)
}
