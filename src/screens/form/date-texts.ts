import type { MessageKey, Translate } from '#i18n/intl.ts'

const months = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] as const

/** What a date in three parts says, in the language in force. */
export function dateTexts(t: Translate) {
  return {
    partLabels: { day: t('date.day'), month: t('date.month'), year: t('date.year') },
    monthNames: months.map(month => t(`month.${month}` satisfies MessageKey)),
    monthPlaceholder: t('select.choose'),
  }
}
