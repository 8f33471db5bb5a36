import type { ReactNode } from 'react'
import type { TextFieldName } from '#contract/application.ts'
import { joinDate, splitDate } from '#contract/dates.ts'
import { useText } from '#i18n/intl.ts'
import { DatePartsField } from '#ui/date-field.tsx'
import { dateTexts } from './date-texts.ts'
import { useTextAnswer } from './form-hooks.ts'

type DateInputProps = {
  name: TextFieldName
  optional?: boolean | undefined
  disabled?: boolean | undefined
  hint?: ReactNode | undefined
}

/** A date that is kept as one text, YYYY-MM-DD, half typed as it may be (FRM18). */
export function DateInput({ name, optional, disabled, hint }: DateInputProps) {
  const t = useText()
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
      disabled={disabled}
      onChange={parts => onChange(joinDate(parts))}
      onBlur={onBlur}
    />
  )
}
