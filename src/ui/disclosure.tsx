import type { ReactNode } from 'react'
import styles from './disclosure.module.css'
import { Icon } from './icon.tsx'

interface DisclosureProps {
  summary: ReactNode
  open?: boolean | undefined
  children: ReactNode
}

export function Disclosure({ summary, open, children }: DisclosureProps) {
  return (
    <details className={styles.disclosure} open={open}>
      <summary className={styles.summary}>
        <Icon name="right" className={styles.arrow} />
        <span>{summary}</span>
      </summary>
      <div className={styles.content}>{children}</div>
    </details>
  )
}
