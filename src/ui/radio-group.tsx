import type { ComponentProps } from 'react'
import styles from './choice.module.css'
import { Fieldset, type FieldTexts } from './field.tsx'

export interface RadioOption {
  value: string
  label: string
  hint?: string | undefined
  disabled?: boolean | undefined
}

type RadioGroupProps = Omit<ComponentProps<'input'>, 'className' | 'style' | 'type' | 'children' | 'name'> &
  FieldTexts & {
    name: string
    options: readonly RadioOption[]
    /** Short answers such as yes and no stand side by side. */
    inline?: boolean | undefined
  }

/** One answer of a few. Takes what `register()` returns, or `value` and `onChange`. The first row has the id of the group. */
export function RadioGroup({
  label,
  optionalLabel,
  hint,
  error,
  options,
  inline,
  ...props
}: RadioGroupProps) {
  const { id = props.name, value, defaultValue, ...input } = props
  return (
    <Fieldset id={id} label={label} optionalLabel={optionalLabel} hint={hint} error={error}>
      {() => (
        <div className={inline ? styles.inline : styles.rows}>
          {options.map(option => (
            <label key={option.value} className={styles.row}>
              <input
                {...input}
                type="radio"
                value={option.value}
                className={styles.radio}
                disabled={option.disabled ?? input.disabled}
                {...checkedness(option.value, value, defaultValue)}
              />
              <span className={styles.words}>
                {option.label}
                {option.hint && <span className={styles.detail}>{option.hint}</span>}
              </span>
            </label>
          ))}
        </div>
      )}
    </Fieldset>
  )
}

/** A radio is told whether it is chosen only by a caller who holds the value; otherwise the form library sets it. */
export function checkedness(own: string, value: unknown, defaultValue: unknown) {
  if (value !== undefined) return { checked: value === own }
  if (defaultValue !== undefined) return { defaultChecked: defaultValue === own }
  return {}
}
