import { useId, type ComponentProps } from 'react'
import { classNames } from './class-names.ts'
import control from './control.module.css'
import { Field, type FieldTexts, joinIds } from './field.tsx'
import { VerifiedMark } from './verified-mark.tsx'

type TextFieldProps = Omit<ComponentProps<'input'>, 'className' | 'style'> &
  FieldTexts & {
    /** Visible width for the expected length of an answer; it does not limit the input. */
    width?: 'full' | 'medium' | 'short' | undefined
    /** With `readOnly`: why the value cannot be changed. */
    readOnlyReason?: string | undefined
  }

/** A text input with a label. Accepts the result of `register()`. The id defaults to the name. */
export function TextField({
  label,
  optionalLabel,
  hint,
  error,
  width = 'full',
  readOnlyReason,
  ...input
}: TextFieldProps) {
  const fallback = useId()
  const id = input.id ?? input.name ?? fallback
  return (
    <Field id={id} label={label} optionalLabel={optionalLabel} hint={hint} error={error}>
      {aria => (
        <VerifiedMark id={id} shown={input.readOnly === true} text={readOnlyReason}>
          <input
            {...input}
            id={id}
            type={input.type ?? 'text'}
            className={classNames(control.control, width !== 'full' && control[width])}
            aria-describedby={joinIds(aria.describedBy, input.readOnly && readOnlyReason && `${id}-lock`)}
            aria-invalid={aria.invalid || undefined}
          />
        </VerifiedMark>
      )}
    </Field>
  )
}
