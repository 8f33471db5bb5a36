import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Spinner } from './spinner.tsx'
import styles from './button.module.css'
import { useHydrated } from './use-hydrated.ts'

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger'

type ButtonProps = Omit<ComponentProps<'button'>, 'className' | 'style'> & {
  variant?: ButtonVariant | undefined
  /** Work is under way: the button keeps its focus and its place, and ignores clicks. */
  busy?: boolean | undefined
  busyLabel?: string | undefined
}

export function Button({ variant = 'primary', type = 'button', busy = false, ...props }: ButtonProps) {
  const { busyLabel, onClick, children, ...button } = props
  // Pressed before the script is here, a form would leave the page, and what was typed with it.
  const waits = !useHydrated() && type === 'submit'

  function click(event: MouseEvent<HTMLButtonElement>) {
    if (busy) {
      event.preventDefault()
      return
    }
    onClick?.(event)
  }

  return (
    <button
      {...button}
      type={type}
      disabled={waits || button.disabled}
      className={buttonClass(variant)}
      aria-disabled={busy || undefined}
      onClick={click}
    >
      {(busy || waits) && <Spinner />}
      <span>{busy ? (busyLabel ?? children) : children}</span>
    </button>
  )
}

/** The row of actions that ends a form: stacked within the thumb's reach on a phone, side by side on a wide screen. */
export function ButtonRow({ children }: { children: ReactNode }) {
  return <div className={styles.row}>{children}</div>
}

export function buttonClass(variant: ButtonVariant): string {
  return classNames(styles.button, styles[variant])
}
