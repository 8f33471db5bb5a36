import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Icon } from './icon.tsx'
import styles from './verified-mark.module.css'

interface VerifiedMarkProps {
  /** The id of the input. The reason has the id `…-lock`, for `aria-describedby`. */
  id: string
  /** Whether the value is verified; otherwise only the children render. */
  shown: boolean
  /** The reason why the value cannot be changed. */
  text?: string | undefined
  /** Makes the box only as wide as a phone number. */
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
        <p className={styles.text} id={`${id}-lock`}>
          {text}
        </p>
      )}
    </>
  )
}
