import type { MouseEvent, Ref } from 'react'
import styles from './error-summary.module.css'
import { Icon } from './icon.tsx'

interface ErrorSummaryItem {
  /** "#" and the id of the field or group, encoded as in any address. */
  href: string
  text: string
}

interface ErrorSummaryProps {
  title: string
  items: readonly ErrorSummaryItem[]
  /** The caller moves the focus here after a failed submit. */
  ref?: Ref<HTMLDivElement> | undefined
}

/** Has the role `alert` and gets the focus, as the error summary of GOV.UK (docs/look.md). */
export function ErrorSummary({ title, items, ref }: ErrorSummaryProps) {
  if (items.length === 0) return null
  return (
    // When the errors are on another tab, the change to that tab must leave the focus here and not move it to the heading.
    <div ref={ref} className={styles.summary} tabIndex={-1} role="alert" data-first-focus="">
      <h2 className={styles.title}>
        <Icon name="warning" />
        <span>{title}</span>
      </h2>
      <ul className={styles.list}>
        {items.map(item => (
          <li key={item.href + item.text}>
            <a href={item.href} onClick={event => goToField(event, item.href)}>
              {item.text}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Focuses the field, or the first control of a group, without changing the address. */
function goToField(event: MouseEvent, href: string) {
  const target = document.getElementById(decodeURIComponent(href.slice(1)))
  if (!target) return
  event.preventDefault()
  const control = target.matches('input, select, textarea, button')
    ? target
    : (target.querySelector<HTMLElement>('input, select, textarea, button') ?? target)
  // A field with an error has `data-invalid` on the element that holds its label, message and control (field.tsx).
  const field = target.closest('[data-invalid]') ?? target
  field.scrollIntoView({ block: 'start' })
  control.focus({ preventScroll: true })
}
