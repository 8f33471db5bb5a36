import type { ReactNode } from 'react'
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

interface NoticeRegionProps {
  /** Names the region. */
  label: string
  /** Notices that can wait until the reader has finished a sentence. */
  children?: ReactNode | undefined
  /** Danger notices: spoken at once. */
  urgent?: ReactNode | undefined
  /** A pointer or the focus rests here: the caller's countdown must stop. */
  onPause?: (() => void) | undefined
  onResume?: (() => void) | undefined
}

/** Stays mounted while empty: a live region speaks only of what changes inside it. */
export function NoticeRegion({ label, children, urgent, onPause, onResume }: NoticeRegionProps) {
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- resting here only stops a countdown
    <section
      className={styles.region}
      aria-label={label}
      onMouseEnter={onPause}
      onMouseLeave={onResume}
      onFocus={onPause}
      onBlur={onResume}
    >
      <div role="alert">{urgent}</div>
      {/* eslint-disable-next-line jsx-a11y/prefer-tag-over-role -- an output element may hold no blocks */}
      <div role="status">{children}</div>
    </section>
  )
}
