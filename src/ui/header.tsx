import type { ReactNode } from 'react'
import { BrandMark } from './brand-mark.tsx'
import styles from './header.module.css'

/** The class of the link to the help, which is one of the controls of the header. */
export const helpLinkClass = styles.link

interface SiteHeaderProps {
  /** The issuing state and authority, or a text in their place, in a line at the top of the header. */
  issuer?: ReactNode | undefined
  /** The address of an image before the issuer. */
  emblem?: string | undefined
  /** The name of a kiosk's office, in the same line. */
  office?: ReactNode | undefined
  /** The service's name, usually a link to its first page. */
  brand: ReactNode
  /** Controls at the end, such as the language switch. */
  children?: ReactNode | undefined
  /** A button after the controls. */
  action?: ReactNode | undefined
}

export function SiteHeader({ issuer, emblem, office, brand, children, action }: SiteHeaderProps) {
  return (
    <header className={styles.header}>
      {issuer && (
        <p className={styles.issuer}>
          <span>
            {emblem && <img className={styles.emblem} src={emblem} alt="" />}
            {issuer}
          </span>
          {office}
        </p>
      )}
      <div className={styles.row}>
        <div className={styles.brand}>
          <BrandMark />
          <div className={styles.names}>
            <div className={styles.name}>{brand}</div>
          </div>
        </div>
        {children && <div className={styles.tools}>{children}</div>}
        {action && <div className={styles.action}>{action}</div>}
      </div>
    </header>
  )
}
