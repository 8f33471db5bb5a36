import type { ReactNode } from 'react'
import styles from './summary-list.module.css'

export interface SummaryRow {
  term: string
  value: ReactNode
  /** A link to change it. */
  action?: ReactNode | undefined
}

/** A read-only list of questions and answers. */
export function SummaryList({ rows }: { rows: readonly SummaryRow[] }) {
  return (
    <dl className={styles.list}>
      {rows.map(row => (
        <div key={row.term} className={styles.row}>
          <dt className={styles.term}>{row.term}</dt>
          <dd className={styles.value}>{row.value}</dd>
          {row.action && <dd className={styles.action}>{row.action}</dd>}
        </div>
      ))}
    </dl>
  )
}
