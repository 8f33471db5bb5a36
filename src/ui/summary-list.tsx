import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import styles from './summary-list.module.css'

export interface SummaryRow {
  /** Tells rows with the same term apart. */
  key?: string | undefined
  term: string
  value: ReactNode
  /** On a phone the value has its own line below the term. */
  isLong?: boolean | undefined
  /** A button for this row, for example one that removes what the row shows. */
  action?: ReactNode | undefined
}

interface SummaryListProps {
  rows: readonly SummaryRow[]
  /** True when people beside the device may hear everything in the list: then it is read aloud (NAV30). */
  isReadAloud?: boolean | undefined
  /** The terms are sentences and the values a few words: on a phone each value is below its term. */
  hasLongTerms?: boolean
}

/** A read-only list of terms and their values, such as questions and answers. */
export function SummaryList({ rows, isReadAloud, hasLongTerms = false }: SummaryListProps) {
  return (
    <dl
      className={classNames(styles.list, hasLongTerms && styles.longTerms)}
      data-listen={isReadAloud || undefined}
    >
      {rows.map(row => (
        <div key={row.key ?? row.term} className={classNames(styles.row, row.isLong && styles.long)}>
          <dt className={styles.term}>{row.term}</dt>
          <dd className={styles.value}>{row.value}</dd>
          {row.action && <dd className={styles.action}>{row.action}</dd>}
        </div>
      ))}
    </dl>
  )
}
