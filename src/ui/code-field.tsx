import { useId, useState, type ComponentProps } from 'react'
import { classNames } from './class-names.ts'
import styles from './code-field.module.css'
import control from './control.module.css'
import { Field, type FieldTexts } from './field.tsx'

type CodeFieldProps = Omit<ComponentProps<'input'>, 'className' | 'style' | 'type'> &
  FieldTexts & {
    showLabel: string
    hideLabel: string
  }

/** A field for a one-time code: one input that accepts paste and autofill. At first the characters are masked (OTP02, PAY22). */
export function CodeField({
  label,
  optionalLabel,
  hint,
  error,
  showLabel,
  hideLabel,
  ...input
}: CodeFieldProps) {
  const [shown, setShown] = useState(false)
  const generatedId = useId()
  const id = input.id ?? input.name ?? generatedId
  return (
    <Field id={id} label={label} optionalLabel={optionalLabel} hint={hint} error={error}>
      {aria => (
        <div className={styles.pair}>
          <input
            {...input}
            id={id}
            type={shown ? 'text' : 'password'}
            inputMode="numeric"
            autoComplete="one-time-code"
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            className={classNames(control.control, styles.code)}
            aria-describedby={aria.describedBy}
            aria-invalid={aria.invalid || undefined}
          />
          <button type="button" className={styles.toggle} aria-controls={id} onClick={() => setShown(!shown)}>
            {shown ? hideLabel : showLabel}
          </button>
        </div>
      )}
    </Field>
  )
}
