import type { ReactNode } from 'react'
import { BrandMark } from './brand-mark.tsx'
import styles from './header.module.css'

/** Of a link among the controls of the header. */
export const helpLinkClass = styles.link

interface SiteHeaderProps {
  /** The service's name, usually a link to its first page. */
  brand: ReactNode
  /** A second, smaller line: the owner of the service. */
  owner?: ReactNode | undefined
  /** Controls at the end, such as the language switch. */
  children?: ReactNode | undefined
  /** A second row, of the device on which the page is open. */
  strip?: ReactNode | undefined
}

export function SiteHeader({ brand, owner, children, strip }: SiteHeaderProps) {
  return (
    <header className={styles.header}>
      <div className={styles.row}>
        <div className={styles.brand}>
          <BrandMark />
          <div className={styles.names}>
            {owner && <div className={styles.owner}>{owner}</div>}
            <div className={styles.name}>{brand}</div>
          </div>
        </div>
        {children && <div className={styles.tools}>{children}</div>}
      </div>
      {strip && <div className={styles.strip}>{strip}</div>}
    </header>
  )
}
