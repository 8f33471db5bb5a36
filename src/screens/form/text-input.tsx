import type { ChangeEvent, ComponentProps, FocusEvent, ReactNode } from 'react'
import type { TextFieldName } from '#contract/application.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { TextField } from '#ui/text-field.tsx'
import { useTypedAnswer } from './form-hooks.ts'

type TextInputProps = {
  name: TextFieldName
  optional?: boolean | undefined
  hint?: ReactNode | undefined
  disabled?: boolean | undefined
  width?: 'full' | 'medium' | 'short' | undefined
  autoComplete?: string | undefined
  inputMode?: ComponentProps<'input'>['inputMode']
  autoCapitalize?: 'words' | 'characters' | 'none' | undefined
  spellCheck?: boolean | undefined
  type?: 'text' | 'email' | undefined
  /** With a reason given, the value is shown and cannot be changed. */
  knownText?: string | undefined
  /** What becomes of the answer when the field is left (PER03). */
  normalise?: ((answer: string) => string) | undefined
  /** The answer has changed; for what depends on it. */
  onAnswer?: ((answer: string) => void) | undefined
}

export function TextInput({ name, optional, normalise, onAnswer, knownText, ...input }: TextInputProps) {
  const t = useText()
  const { error, ref, onChange, onBlur, change } = useTypedAnswer(name)
  // Others would be offered what was typed here (D38).
  const shared = useServices().deviceUse.isShared()

  function answer(event: ChangeEvent<HTMLInputElement>) {
    void onChange(event)
    onAnswer?.(event.target.value)
  }

  function leave(event: FocusEvent<HTMLInputElement>) {
    const { value } = event.target
    const tidied = normalise?.(value) ?? value
    if (tidied !== value) {
      change(tidied)
      onAnswer?.(tidied)
    }
    void onBlur(event)
  }

  return (
    <TextField
      {...input}
      autoComplete={shared ? 'off' : (input.autoComplete ?? 'off')}
      ref={ref}
      name={name}
      label={t(`field.${name}`)}
      optionalLabel={optional ? t('field.optional') : undefined}
      error={error}
      readOnly={knownText !== undefined}
      knownText={knownText}
      onChange={answer}
      onBlur={leave}
    />
  )
}
