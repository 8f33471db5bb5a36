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
    /** Shows short answers such as yes and no side by side. */
    inline?: boolean | undefined
  }

/** A group of radio buttons. Accepts the result of `register()`, or `value` and `onChange`. */
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
            <label key={option.value} className={styles.row} data-listen>
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
                {option.hint && (
                  <span className={styles.detail} data-listen>
                    {option.hint}
                  </span>
                )}
              </span>
            </label>
          ))}
        </div>
      )}
    </Fieldset>
  )
}

/** Returns `checked` for a controlled group, `defaultChecked` with a default, and nothing for `register()`. */
export function checkedness(own: string, value: unknown, defaultValue: unknown) {
  if (value !== undefined) return { checked: value === own }
  if (defaultValue !== undefined) return { defaultChecked: defaultValue === own }
  return {}
}
