import type { ReactNode } from 'react'
import type { TextFieldName } from '#contract/application.ts'
import { useText } from '#i18n/intl.ts'
import { SelectField, type SelectOption, type SelectState } from '#ui/select-field.tsx'
import { useTextAnswer } from './form-hooks.ts'

type SelectInputProps = {
  name: TextFieldName
  options: readonly SelectOption[]
  state?: SelectState | undefined
  /** Value of the option that is shown for an empty answer; the select then has no placeholder. */
  optionForEmpty?: string | undefined
  optional?: boolean | undefined
  hint?: ReactNode | undefined
  autoComplete?: string | undefined
  onAnswer?: ((answer: string) => void) | undefined
}

/** A select for one answer of the form. A long list has a search. */
export function SelectInput({ name, optionForEmpty, optional, onAnswer, ...select }: SelectInputProps) {
  const t = useText()
  const { value, error, ref, onChange, onBlur } = useTextAnswer(name)
  return (
    <SelectField
      {...select}
      search={{ label: t('select.search'), found: count => t('select.found', { count }) }}
      ref={ref}
      name={name}
      value={value === '' && optionForEmpty !== undefined ? optionForEmpty : value}
      placeholder={optionForEmpty === undefined ? t('select.choose') : undefined}
      label={t(`field.${name}`)}
      optionalLabel={optional ? t('field.optional') : undefined}
      error={error}
      onChange={event => {
        onChange(event.target.value)
        onAnswer?.(event.target.value)
      }}
      onBlur={onBlur}
    />
  )
}
