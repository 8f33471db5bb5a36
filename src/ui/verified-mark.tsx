import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Icon } from './icon.tsx'
import styles from './verified-mark.module.css'

interface VerifiedMarkProps {
  id: string
  shown: boolean
  text?: string | undefined
  /** As wide as a telephone number. */
  narrow?: boolean | undefined
  children: ReactNode
}

/** Shows a lock on a verified value, with the reason below it. */
export function VerifiedMark({ id, shown, text, narrow, children }: VerifiedMarkProps) {
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
