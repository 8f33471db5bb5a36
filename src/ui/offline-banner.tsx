import type { ReactNode } from 'react'
import styles from './offline-banner.module.css'
import { Icon, type IconName } from './icon.tsx'

interface OfflineBannerProps {
  /** Without a text the live region stays, empty: a screen reader speaks only a text that appears in a region it knows. */
  text?: string | undefined
  icon?: IconName | undefined
  /** A second sentence or an action; not rendered without a text. */
  children?: ReactNode | undefined
}

/** The banner that says why the service cannot serve the applicant: offline, or another connection state (D34). */
export function OfflineBanner({ text, icon = 'offline', children }: OfflineBannerProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an output element must not contain block elements
    <div role="status">
      {text && (
        <div className={styles.banner}>
          <div className={styles.row}>
            <Icon name={icon} className={styles.icon} />
            <div>
              <strong>{text}</strong>
              {children}
            </div>
          </div>
        </div>
      )}
    </div>
  )
}
