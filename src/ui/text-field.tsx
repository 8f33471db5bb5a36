import { useId, type ComponentProps } from 'react'
import { classNames } from './class-names.ts'
import control from './control.module.css'
import { Field, type FieldTexts } from './field.tsx'
import { VerifiedMark } from './verified-mark.tsx'

type TextFieldProps = Omit<ComponentProps<'input'>, 'className' | 'style'> &
  FieldTexts & {
    /** How long an answer the box invites; it never cuts what is typed. */
    width?: 'full' | 'medium' | 'short' | undefined
    /** With `readOnly`: why the value cannot be changed. */
    knownText?: string | undefined
  }

/** A labelled box for text; what `register()` returns can be spread onto it. Its id is its name unless given. */
export function TextField({
  label,
  optionalLabel,
  hint,
  error,
  width = 'full',
  knownText,
  ...input
}: TextFieldProps) {
  const fallback = useId()
  const id = input.id ?? input.name ?? fallback
  return (
    <Field id={id} label={label} optionalLabel={optionalLabel} hint={hint} error={error}>
      {wiring => (
        <VerifiedMark id={id} shown={input.readOnly === true} text={knownText}>
          <input
            {...input}
            id={id}
            type={input.type ?? 'text'}
            className={classNames(control.control, width !== 'full' && control[width])}
            aria-describedby={describe(
              wiring.describedBy,
              input.readOnly && knownText ? `${id}-known` : undefined,
            )}
            aria-invalid={wiring.invalid || undefined}
          />
        </VerifiedMark>
      )}
    </Field>
  )
}

function describe(...ids: (string | undefined)[]): string | undefined {
  return ids.filter(Boolean).join(' ') || undefined
}
