import type { ReactNode } from 'react'
import { useIntl } from 'react-intl'
import styles from '#ui/summary-list.module.css'

/** "Application no." and the number. The number breaks, at its hyphens, only when it is too long for a line. */
export function ApplicationNumber({ number }: { number: ReactNode }) {
  const intl = useIntl()
  const unbroken = (
    <span key="number" className={styles.line}>
      {number}
    </span>
  )
  return intl.formatMessage({ id: 'form.number' }, { number: unbroken })
}
