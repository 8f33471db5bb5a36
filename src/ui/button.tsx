import { type ComponentProps, type MouseEvent, type ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Spinner } from './spinner.tsx'
import { useHydrated } from './use-hydrated.ts'
import styles from './button.module.css'

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger'

type ButtonProps = Omit<ComponentProps<'button'>, 'className' | 'style'> & {
  variant?: ButtonVariant | undefined
  /** An action is running: the button keeps its focus and ignores clicks, as with `aria-disabled`. */
  busy?: boolean | undefined
  busyLabel?: string | undefined
}

export function Button({ variant = 'primary', type = 'button', busy = false, ...props }: ButtonProps) {
  const { busyLabel, onClick, children, ...button } = props
  // Before hydration a submit would leave the page and lose what the applicant has typed. public/check-browser.js enables
  // the button, and keeps a press for the hydrated page.
  const waits = !useHydrated() && type === 'submit'

  const isOff = busy || button['aria-disabled']

  function click(event: MouseEvent<HTMLButtonElement>) {
    if (isOff) {
      event.preventDefault()
      return
    }
    onClick?.(event)
  }

  return (
    <button
      // The button that reads the page aloud reads a primary button too. A caller can add `data-listen` to another button.
      data-listen={variant === 'primary' || undefined}
      {...button}
      type={type}
      disabled={waits || button.disabled}
      className={buttonClass(variant)}
      aria-disabled={isOff || undefined}
      onClick={click}
    >
      {(busy || waits) && <Spinner />}
      <span>{busy ? (busyLabel ?? children) : children}</span>
    </button>
  )
}

/** The buttons at the end of a form: stacked on a phone, side by side on a wide screen. */
export function ButtonRow({ children }: { children: ReactNode }) {
  return <div className={styles.row}>{children}</div>
}

/** Returns the classes that style a router link as a button: `<Link className={linkButtonClass('primary')}>`. */
export function linkButtonClass(variant: ButtonVariant = 'primary'): string {
  return buttonClass(variant)
}

function buttonClass(variant: ButtonVariant): string {
  return classNames(styles.button, styles[variant])
}
