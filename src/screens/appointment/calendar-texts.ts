import { formatDay } from '#i18n/format-date.ts'
import type { Language } from '#contract/codes.ts'
import type { Translate } from '#i18n/intl.ts'
import type { CalendarTexts } from '#ui/calendar.tsx'

const months = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] as const
const weekdays = [1, 2, 3, 4, 5, 6, 7] as const

export function calendarTexts(t: Translate, language: Language): CalendarTexts {
  return {
    label: t('calendar.label'),
    previousLabel: t('calendar.previous'),
    nextLabel: t('calendar.next'),
    monthNames: months.map(month => t(`month.${month}`)),
    weekdayNames: weekdays.map(day => ({ long: t(`weekday.${day}`), short: t(`weekdayShort.${day}`) })),
    formatDayLabel: date => formatDay(date, language),
  }
}
