import type { ReactNode } from 'react'
import { BrandMark } from './brand-mark.tsx'
import styles from './header.module.css'

/** Of a link among the controls of the header. */
export const helpLinkClass = styles.link

interface SiteHeaderProps {
  /** Who issues the service: one line above the header. */
  issuer?: ReactNode | undefined
  /** The service's name, usually a link to its first page. */
  brand: ReactNode
  /** Controls at the end, such as the language switch. */
  children?: ReactNode | undefined
  /** A second row, of the device on which the page is open. */
  strip?: ReactNode | undefined
}

export function SiteHeader({ issuer, brand, children, strip }: SiteHeaderProps) {
  return (
    <header className={styles.header}>
      {issuer && <p className={styles.issuer}>{issuer}</p>}
      <div className={styles.row}>
        <div className={styles.brand}>
          <BrandMark />
          <div className={styles.names}>
            <div className={styles.name}>{brand}</div>
          </div>
        </div>
        {children && <div className={styles.tools}>{children}</div>}
      </div>
      {strip && <div className={styles.strip}>{strip}</div>}
    </header>
  )
}
