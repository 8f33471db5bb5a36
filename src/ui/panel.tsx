import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Icon } from './icon.tsx'
import styles from './panel.module.css'
import { toneIcons, type Tone } from './tone-icon.ts'

interface PanelProps {
  tone?: Tone | undefined
  heading?: ReactNode | undefined
  children?: ReactNode | undefined
  /** A screen reader speaks the panel when it appears on an open page. */
  announce?: boolean | undefined
  /** Marks the success that the page is about: draws its tick once, with a heading as large as a section's. */
  drawn?: boolean | undefined
}

/** Information at the place in the page where the applicant needs it. */
export function Panel({ tone = 'info', heading, children, announce, drawn }: PanelProps) {
  return (
    <div className={classNames(styles.panel, styles[tone])} role={announce ? 'status' : undefined}>
      <Icon name={toneIcons[tone]} className={classNames(styles.icon, drawn && styles.drawn)} />
      <div className={styles.content} data-listen>
        {heading && <h2 className={drawn ? undefined : styles.heading}>{heading}</h2>}
        {typeof children === 'string' ? <p>{children}</p> : children}
      </div>
    </div>
  )
}
