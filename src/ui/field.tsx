import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import styles from './field.module.css'
import { Icon } from './icon.tsx'

/** The ids that connect a control with its label, hint and error. */
export interface FieldAria {
  id: string
  describedBy: string | undefined
  invalid: boolean
}

export interface FieldTexts {
  label: ReactNode
  /** Shown after the label of a field that may stay empty. */
  optionalLabel?: string | undefined
  hint?: ReactNode | undefined
  error?: string | undefined
}

type FieldProps = FieldTexts & {
  id: string
  children: (aria: FieldAria) => ReactNode
}

/** Label, hint and error come before the control, so that an on-screen keyboard hides none of them. */
export function Field({ id, label, optionalLabel, hint, error, children }: FieldProps) {
  return (
    <div className={styles.field} data-invalid={error ? '' : undefined}>
      <label className={styles.label} htmlFor={id} data-listen>
        <LabelText label={label} optionalLabel={optionalLabel} />
      </label>
      <HintAndError id={id} hint={hint} error={error} />
      {children(createAria(id, hint, error))}
    </div>
  )
}

/** Like `Field`, for a group of controls. */
export function Fieldset({ id, label, optionalLabel, hint, error, children }: FieldProps) {
  const aria = createAria(id, hint, error)
  return (
    <fieldset
      id={id}
      className={styles.field}
      data-invalid={error ? '' : undefined}
      aria-describedby={aria.describedBy}
    >
      <legend className={classNames(styles.label, styles.legend)} data-listen>
        <LabelText label={label} optionalLabel={optionalLabel} />
      </legend>
      <HintAndError id={id} hint={hint} error={error} />
      {children(aria)}
    </fieldset>
  )
}

function LabelText({ label, optionalLabel }: Pick<FieldTexts, 'label' | 'optionalLabel'>) {
  return (
    <>
      {label}
      {optionalLabel && <span className={styles.optional}>{` (${optionalLabel})`}</span>}
    </>
  )
}

function HintAndError({ id, hint, error }: { id: string } & Pick<FieldTexts, 'hint' | 'error'>) {
  return (
    <>
      {hint && (
        <div className={styles.hint} id={`${id}-hint`}>
          {hint}
        </div>
      )}
      {error && <ErrorLine id={`${id}-error`} text={error} />}
    </>
  )
}

/** The message of a fault, with an icon. */
export function ErrorLine({ id, text }: { id?: string; text: string }) {
  return (
    <p className={styles.error} id={id}>
      <Icon name="warning" />
      <span>{text}</span>
    </p>
  )
}

function createAria(id: string, hint: ReactNode, error: string | undefined): FieldAria {
  return {
    id,
    describedBy: joinIds(hint ? `${id}-hint` : undefined, error && `${id}-error`),
    invalid: Boolean(error),
  }
}

/** Joins the ids of the texts that describe a control. Returns undefined when no text describes it. */
export function joinIds(...ids: (string | false | undefined)[]): string | undefined {
  return ids.filter(Boolean).join(' ') || undefined
}
