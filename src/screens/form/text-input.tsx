import type { ChangeEvent, ComponentProps, FocusEvent, ReactNode } from 'react'
import type { TextFieldName } from '#contract/application.ts'
import { useText } from '#i18n/intl.ts'
import { useAutoCompleteOfDevice } from '#app/services.ts'
import { TextField } from '#ui/text-field.tsx'
import { useTypedAnswer } from './form-hooks.ts'

type TextInputProps = {
  name: TextFieldName
  optional?: boolean | undefined
  hint?: ReactNode | undefined
  width?: 'full' | 'medium' | 'short' | undefined
  autoComplete?: string | undefined
  inputMode?: ComponentProps<'input'>['inputMode']
  autoCapitalize?: 'words' | 'characters' | 'none' | undefined
  spellCheck?: boolean | undefined
  type?: 'text' | 'email' | undefined
  /** Why the value is read-only; undefined when the applicant may edit it. */
  readOnlyReason?: string | undefined
  /** Normalises the answer on blur (PER03). */
  normalise?: ((answer: string) => string) | undefined
  /** Runs after each change, to update what depends on the answer. */
  onAnswer?: ((answer: string) => void) | undefined
}

export function TextInput({ name, optional, normalise, onAnswer, readOnlyReason, ...input }: TextInputProps) {
  const t = useText()
  const { error, ref, onChange, onBlur, change } = useTypedAnswer(name)
  const autoComplete = useAutoCompleteOfDevice() ?? input.autoComplete ?? 'off'

  function changeAnswer(event: ChangeEvent<HTMLInputElement>) {
    void onChange(event)
    onAnswer?.(event.target.value)
  }

  function normaliseOnBlur(event: FocusEvent<HTMLInputElement>) {
    const { value } = event.target
    const normalised = normalise?.(value) ?? value
    if (normalised !== value) {
      change(normalised)
      onAnswer?.(normalised)
    }
    void onBlur(event)
  }

  return (
    <TextField
      {...input}
      autoComplete={autoComplete}
      ref={ref}
      name={name}
      // A name in Arabic letters starts at the right.
      dir={input.type === 'email' ? 'ltr' : 'auto'}
      label={t(`field.${name}`)}
      optionalLabel={optional ? t('field.optional') : undefined}
      error={error}
      readOnly={readOnlyReason !== undefined}
      readOnlyReason={readOnlyReason}
      onChange={changeAnswer}
      onBlur={normaliseOnBlur}
    />
  )
}
