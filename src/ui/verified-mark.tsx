import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Icon } from './icon.tsx'
import styles from './verified-mark.module.css'

interface KnownMarkProps {
  id: string
  shown: boolean
  text?: string | undefined
  /** As wide as a telephone number. */
  narrow?: boolean | undefined
  children: ReactNode
}

/** A lock upon a value the service already knows, with the reason below it. */
export function VerifiedMark({ id, shown, text, narrow, children }: KnownMarkProps) {
  if (!shown) return <>{children}</>
  return (
    <>
      <div className={classNames(styles.box, narrow && styles.narrow)}>
        {children}
        <Icon name="lock" className={styles.lock} />
      </div>
      {text && (
        <p className={styles.text} id={`${id}-known`}>
          {text}
        </p>
      )}
    </>
  )
}
