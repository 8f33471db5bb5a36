import type { ReactNode } from 'react'
import type { TextFieldName } from '#contract/application.ts'
import { useText } from '#i18n/intl.ts'
import { RadioGroup, type RadioOption } from '#ui/radio-group.tsx'
import { useTextAnswer } from './form-hooks.ts'

type RadioInputProps = {
  name: TextFieldName
  options: readonly RadioOption[]
  hint?: ReactNode | undefined
  inline?: boolean | undefined
  onAnswer?: ((answer: string) => void) | undefined
}

export function RadioInput({ name, options, hint, inline, onAnswer }: RadioInputProps) {
  const t = useText()
  const { value, error, ref, onChange, onBlur } = useTextAnswer(name)
  return (
    <RadioGroup
      ref={ref}
      name={name}
      value={value}
      options={options}
      inline={inline}
      label={t(`field.${name}`)}
      hint={hint}
      error={error}
      onChange={event => {
        onChange(event.target.value)
        onAnswer?.(event.target.value)
      }}
      onBlur={onBlur}
    />
  )
}
