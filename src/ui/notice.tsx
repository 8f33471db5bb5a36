import { type ReactNode, type SyntheticEvent, useEffect, useRef } from 'react'
import { classNames } from './class-names.ts'
import { Icon } from './icon.tsx'
import { passFocusToHeadingOnRemoval } from './move-focus.ts'
import styles from './notice.module.css'
import { toneIcons, type Tone } from './tone-icon.ts'
import { VisuallyHidden } from './visually-hidden.tsx'

interface NoticeProps {
  tone: Tone
  text: string
  closeLabel: string
  onClose: () => void
}

export function Notice({ tone, text, closeLabel, onClose }: NoticeProps) {
  const notice = useRef<HTMLDivElement>(null)
  // An effect, because only the layout says what the notice covers.
  useEffect(() => keepFocusVisible(notice.current), [])
  return (
    <div ref={notice} className={classNames(styles.notice, styles[tone])}>
      <Icon name={toneIcons[tone]} className={styles.icon} />
      <p className={styles.text}>{text}</p>
      <button
        ref={passFocusToHeadingOnRemoval}
        type="button"
        className={styles.close}
        aria-label={closeLabel}
        onClick={onClose}
      >
        <Icon name="cross" />
      </button>
    </div>
  )
}

/** Loads the code on demand, because the first page shows no notice. Without it the notice may cover the focus. */
function keepFocusVisible(notice: HTMLElement | null): () => void {
  let hasEnded = false
  let stop: (() => void) | undefined
  void (async () => {
    const loaded = await import('./uncover-focus.ts').catch(() => undefined)
    if (!hasEnded) stop = loaded?.uncoverFocus(notice)
  })()
  return () => {
    hasEnded = true
    stop?.()
  }
}

interface PastNoticeProps {
  tone: Tone
  /** Says that the notice is over, to screen readers. */
  label: string
  text: string
  /** `Notice` itself is shown, over this place or at the top of the window: this element only reserves its height. */
  isHidden: boolean
}

/**
 * Reserves the height of a notice at the top of the page, and shows its text there when its time is over. Has the height of
 * `Notice`.
 */
export function PastNotice({ tone, label, text, isHidden }: PastNoticeProps) {
  return (
    <div className={classNames(styles.place, isHidden && styles.hidden)}>
      <div className={classNames(styles.notice, styles.past)}>
        <Icon name={toneIcons[tone]} className={styles.icon} />
        <p className={styles.text}>
          <VisuallyHidden>{label} </VisuallyHidden>
          {text}
        </p>
        <span className={styles.close} />
      </div>
    </div>
  )
}

interface NoticeRegionProps {
  /** Accessible name of the region. */
  label: string
  /** Polite notices: a screen reader speaks them after its current sentence. */
  children?: ReactNode | undefined
  /** Danger notices: a screen reader speaks them at once. */
  urgent?: ReactNode | undefined
  /** Called when the pointer or the focus enters: the caller stops the timer of the notice. */
  onPause?: (() => void) | undefined
  onResume?: (() => void) | undefined
}

/** Also renders without notices, because a screen reader speaks only changes inside an existing live region. */
export function NoticeRegion({ label, children, urgent, onPause, onResume }: NoticeRegionProps) {
  /** The pointer may leave while the focus stays, and the other way round. */
  function resumeIfLeft({ currentTarget }: SyntheticEvent) {
    if (!currentTarget.matches(':hover') && !currentTarget.querySelector(':focus')) onResume?.()
  }

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- hovering only pauses a timer
    <section
      className={styles.region}
      aria-label={label}
      onMouseEnter={onPause}
      onMouseLeave={resumeIfLeft}
      onFocus={onPause}
      onBlur={resumeIfLeft}
    >
      <div role="alert">{urgent}</div>
      {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an output element must not contain block elements */}
      <div role="status">{children}</div>
    </section>
  )
}
