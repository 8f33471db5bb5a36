import type { ReactNode } from 'react'
import styles from './frame.module.css'

interface FrameProps {
  skipLink: ReactNode
  header: ReactNode
  /** Between the header and the page: the offline banner. */
  banner?: ReactNode | undefined
  steps?: ReactNode | undefined
  children: ReactNode
  footer: ReactNode
}

/** The layout of every page: header, steps, one main column, footer at the end of the page or of a taller window. */
export function Frame({ skipLink, header, banner, steps, children, footer }: FrameProps) {
  return (
    <div className={styles.frame}>
      {skipLink}
      {header}
      {banner}
      {steps && <div className={styles.steps}>{steps}</div>}
      <main id="main" className={styles.main} tabIndex={-1}>
        {children}
      </main>
      {footer}
    </div>
  )
}
