import type { TextFieldName } from '#contract/application.ts'
import type { BirthFields } from '#contract/birth.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { Checkbox } from '#ui/checkbox.tsx'
import { DatePartsField } from '#ui/date-field.tsx'
import { dateTexts } from './date-input.tsx'
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
  const day = useTextAnswer(fields.day)
  const month = useTextAnswer(fields.month)
  const year = useTextAnswer(fields.year)

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
        value={{ day: day.value, month: month.value && month.value.padStart(2, '0'), year: year.value }}
        label={t(`field.${group}`)}
        hint={checkbox.value ? undefined : t('hint.dateExample')}
        error={day.error ?? month.error ?? year.error}
        autoComplete={shared ? undefined : autoComplete}
        onChange={parts => {
          if (parts.day !== day.value) day.onChange(parts.day)
          if (parts.month !== month.value) month.onChange(parts.month)
          if (parts.year !== year.value) year.onChange(parts.year)
        }}
        onBlur={() => {
          day.onBlur()
          month.onBlur()
          year.onBlur()
        }}
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
