import { useId, type ComponentProps } from 'react'
import styles from './choice.module.css'
import { classNames } from './class-names.ts'
import box from './checkbox.module.css'
import { Icon } from './icon.tsx'

type CheckboxProps = Omit<ComponentProps<'input'>, 'className' | 'style' | 'type'> & {
  label: string
  hint?: string | undefined
  error?: string | undefined
}

/** A checkbox with a label. Accepts the properties that `register()` of react-hook-form returns. */
export function Checkbox({ label, hint, error, ...input }: CheckboxProps) {
  const fallback = useId()
  const id = input.id ?? input.name ?? fallback
  return (
    <div className={box.field}>
      {error && (
        <p className={box.error} id={`${id}-error`}>
          <Icon name="warning" />
          <span>{error}</span>
        </p>
      )}
      <label className={classNames(styles.row, styles.bare)} htmlFor={id} data-listen>
        <input
          {...input}
          id={id}
          type="checkbox"
          className={styles.checkbox}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-error` : undefined}
        />
        <Icon name="tick" className={styles.mark} />
        <span className={styles.words}>
          {label}
          {hint && (
            <span className={styles.detail} data-listen>
              {hint}
            </span>
          )}
        </span>
      </label>
    </div>
  )
}
