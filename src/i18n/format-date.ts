import { homeTimeZone, type Language } from '#contract/codes.ts'
import { locales } from './locales.ts'

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
