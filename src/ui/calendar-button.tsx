import { type FocusEvent, useRef } from 'react'
import { Icon } from './icon.tsx'
import styles from './calendar-button.module.css'
import { VisuallyHidden } from './visually-hidden.tsx'

export type CalendarButtonProps = {
  label: string
  /** YYYY-MM-DD, or empty. */
  value: string
  min?: string | undefined
  max?: string | undefined
  /** Receives YYYY-MM-DD, or '' when the applicant has cleared the date in the calendar. */
  onChange: (date: string) => void
  onBlur: (event: FocusEvent<HTMLElement>) => void
}

/** Opens the date picker of the platform. Renders nothing where a script cannot open it. */
export function CalendarButton({ label, value, min, max, onChange, onBlur }: CalendarButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  if (!('showPicker' in HTMLInputElement.prototype)) return null
  return (
    <div className={styles.calendar}>
      <input
        ref={input}
        type="date"
        className={styles.date}
        // The applicant uses the button; this invisible field only gives the picker its place and its value.
        tabIndex={-1}
        aria-hidden="true"
        value={value}
        min={min}
        max={max}
        onChange={event => onChange(event.target.value)}
      />
      <button
        type="button"
        className={styles.button}
        onClick={() => input.current?.showPicker()}
        onBlur={onBlur}
      >
        <Icon name="calendar" />
        <VisuallyHidden>{label}</VisuallyHidden>
      </button>
    </div>
  )
}
