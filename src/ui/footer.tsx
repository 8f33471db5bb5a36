import type { ReactNode } from 'react'
import styles from './footer.module.css'

export function SiteFooter({ children }: { children: ReactNode }) {
  return (
    <footer className={styles.footer}>
      <div className={styles.row}>{children}</div>
    </footer>
  )
}
