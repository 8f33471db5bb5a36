import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { classNames } from './class-names.ts'
import { Icon } from './icon.tsx'
import styles from './notice.module.css'
import { toneIcons, type Tone } from './tone-icon.ts'

interface NoticeProps {
  tone: Tone
  text: string
  closeLabel: string
  onClose: () => void
}

export function Notice({ tone, text, closeLabel, onClose }: NoticeProps) {
  return (
    <div className={classNames(styles.notice, styles[tone])}>
      <Icon name={toneIcons[tone]} className={styles.icon} />
      <p className={styles.text}>{text}</p>
      <button type="button" className={styles.close} aria-label={closeLabel} onClick={onClose}>
        <Icon name="cross" />
      </button>
    </div>
  )
}

interface NoticePlaceProps {
  /** Accessible name of the live regions. */
  label: string
  /** Changes with each page. */
  page: string
  /** Polite notices: a screen reader speaks them after its current sentence. */
  children?: ReactNode | undefined
  /** Danger notices: a screen reader speaks them at once. */
  urgent?: ReactNode | undefined
  /** The text of a notice that is no longer shown. */
  last?: ReactNode | undefined
  /** Called when the pointer or the focus enters: the caller stops the timer of the notice. */
  onPause?: (() => void) | undefined
  onResume?: (() => void) | undefined
}

/**
 * The place of the notices, above the page and in its flow: a notice covers nothing there. Also renders without notices,
 * because a screen reader speaks only changes inside an existing live region.
 */
export function NoticePlace({ label, page, children, urgent, last, onPause, onResume }: NoticePlaceProps) {
  const place = useReservedRoom(page)
  return (
    <div ref={place} className={classNames(styles.place, Boolean(children ?? urgent) && styles.shown)}>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- hovering only pauses a timer */}
      <section
        aria-label={label}
        onMouseEnter={onPause}
        onMouseLeave={onResume}
        onFocus={onPause}
        onBlur={onResume}
      >
        <div role="alert">{urgent}</div>
        {/* eslint-disable-next-line jsx-a11y/prefer-tag-over-role -- an output element must not contain block elements */}
        <div role="status">{children}</div>
      </section>
      {last && <p className={styles.last}>{last}</p>}
    </div>
  )
}

/**
 * The first notice of an open page takes its room from the header: the window scrolls by as much as the place grows, so
 * that the page does not move under a finger. Until the next page the place then keeps its height.
 */
function useReservedRoom(page: string) {
  const place = useRef<HTMLDivElement>(null)
  const reserved = useRef({ page, height: 0 })
  useLayoutEffect(() => {
    const element = place.current
    if (!element) return
    const isNewPage = reserved.current.page !== page
    if (isNewPage) element.style.minHeight = ''
    const { height } = element.getBoundingClientRect()
    const grown = height - reserved.current.height
    if (!isNewPage && grown <= 0) return
    reserved.current = { page, height }
    element.style.minHeight = `${height}px`
    // Also a page that fits into the window can then scroll as far.
    document.documentElement.style.setProperty('--notice-room', `${height}px`)
    if (!isNewPage) {
      window.scrollBy({ top: grown, behavior: 'instant' })
      uncoverFocus(element)
    }
  })
  return place
}

/** On a page that was scrolled, a notice lies over the top of the window, but never over the field in use. */
function uncoverFocus(place: Element): void {
  const used = document.activeElement
  if (!used || used.contains(place) || place.contains(used)) return
  const { top, bottom } = used.getBoundingClientRect()
  const notice = place.getBoundingClientRect()
  if (top < notice.bottom && bottom > notice.top)
    window.scrollBy({ top: top - notice.bottom, behavior: 'instant' })
}
