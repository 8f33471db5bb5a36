import type { TextFieldName } from '#contract/application.ts'
import type { BirthFields } from '#contract/birth.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { Checkbox } from '#ui/checkbox.tsx'
import { type DateParts, DatePartsField } from '#ui/date-field.tsx'
import { joinDate, isCalendarDate, splitDate } from '#contract/dates.ts'
import { dateTexts, useCalendar } from './date-input.tsx'
import { clearFields, useApplicationForm, useFlagAnswer, useTextAnswer } from './form-hooks.ts'

type BirthDateInputProps = {
  fields: BirthFields<TextFieldName>
  /** Name of the group, which is also its element id. */
  group: 'dateOfBirth' | 'reprDateOfBirth'
  unknown: 'dateOfBirthUnknown' | 'reprDateOfBirthUnknown'
  autoComplete?: 'bday' | undefined
}

/** A date of birth in three fields, or only its year while "date unknown" is checked (PER07, S23). */
export function BirthDateInput({ fields, group, unknown, autoComplete }: BirthDateInputProps) {
  const t = useText()
  const form = useApplicationForm()
  const shared = useServices().deviceUse.isShared()
  const { ref, ...checkbox } = useFlagAnswer(unknown)
  const calendar = useCalendar(group)
  const { parts, error, setParts, onBlur } = useDateAnswers(fields)
  const joined = joinDate(parts)

  function setUnknown(checked: boolean) {
    clearFields(form, [fields.day, fields.month, fields.year])
    checkbox.onChange(checked)
  }

  return (
    <>
      <DatePartsField
        {...dateTexts(t)}
        id={group}
        mode={checkbox.value ? 'year-only' : 'full'}
        names={fields}
        value={parts}
        calendar={{
          ...calendar,
          value: isCalendarDate(joined) ? joined : '',
          onChange: date => setParts(splitDate(date)),
        }}
        label={t(`field.${group}`)}
        hint={checkbox.value ? undefined : t('hint.dateExample')}
        error={error}
        autoComplete={shared ? undefined : autoComplete}
        onChange={setParts}
        onBlur={onBlur}
      />
      <Checkbox
        ref={ref}
        name={unknown}
        label={t(`field.${unknown}`)}
        checked={checkbox.value}
        onChange={event => setUnknown(event.target.checked)}
        onBlur={checkbox.onBlur}
      />
    </>
  )
}

/** The answers of three fields as one date. */
function useDateAnswers(fields: BirthFields<TextFieldName>) {
  const day = useTextAnswer(fields.day)
  const month = useTextAnswer(fields.month)
  const year = useTextAnswer(fields.year)

  function setParts(next: DateParts) {
    if (next.day !== day.value) day.onChange(next.day)
    if (next.month !== month.value) month.onChange(next.month)
    if (next.year !== year.value) year.onChange(next.year)
  }

  function onBlur() {
    day.onBlur()
    month.onBlur()
    year.onBlur()
  }

  const parts = { day: day.value, month: month.value && month.value.padStart(2, '0'), year: year.value }
  return { parts, error: day.error ?? month.error ?? year.error, setParts, onBlur }
}
