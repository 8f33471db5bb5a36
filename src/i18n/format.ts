import type { Language } from '#contract/codes.ts'
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
    return `${amount} ${currency}` // `currency`, a text of the server, is not a currency code
  }
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
