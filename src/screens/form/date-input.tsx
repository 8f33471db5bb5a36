import type { ReactNode } from 'react'
import type { TextFieldName } from '#contract/application.ts'
import { dateLimits, type LimitedDate } from '#contract/date-limits.ts'
import { isCalendarDate, joinDate, splitDate } from '#contract/dates.ts'
import { type MessageKey, type Translate, useText } from '#i18n/intl.ts'
import { DatePartsField } from '#ui/date-field.tsx'
import { useServices } from '#app/services.ts'
import { today } from '#summary/today.ts'
import { useTextAnswer } from './form-hooks.ts'

type DateInputProps = {
  name: TextFieldName & LimitedDate
  optional?: boolean | undefined
  hint?: ReactNode | undefined
}

/** A date that is saved as one text, YYYY-MM-DD. An incomplete date is saved too, with empty parts: `2026--01` (FRM18). */
export function DateInput({ name, optional, hint }: DateInputProps) {
  const t = useText()
  const calendar = useCalendar(name)
  const { value, error, onChange, onBlur } = useTextAnswer(name)
  return (
    <DatePartsField
      {...dateTexts(t)}
      id={name}
      names={{ day: `${name}-day`, month: `${name}-month`, year: `${name}-year` }}
      value={splitDate(value)}
      label={t(`field.${name}`)}
      optionalLabel={optional ? t('field.optional') : undefined}
      hint={hint}
      error={error}
      calendar={{ ...calendar, value: isCalendarDate(value) ? value : '', onChange }}
      // A pasted part may have dashes: the saved text must be the date that the three fields then show.
      onChange={parts => onChange(joinDate(splitDate(joinDate(parts))))}
      onBlur={onBlur}
    />
  )
}

/** The label of a calendar, and the first and last day that it offers for this date. */
export function useCalendar(name: LimitedDate) {
  const t = useText()
  return { label: t('date.calendar'), ...dateLimits(name, today(useServices())) }
}

const months = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] as const

/** The texts for the three fields of a date: the labels, the names of the months, and the option for no month. */
export function dateTexts(t: Translate) {
  return {
    partLabels: { day: t('date.day'), month: t('date.month'), year: t('date.year') },
    monthNames: months.map(month => t(`month.${month}` satisfies MessageKey)),
    monthPlaceholder: t('select.choose'),
  }
}
