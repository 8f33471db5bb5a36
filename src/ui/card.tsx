import type { ReactNode } from 'react'
import styles from './card.module.css'

interface CardProps {
  heading?: ReactNode | undefined
  /** Shown beside the heading, for example a badge or a small button. */
  aside?: ReactNode | undefined
  children?: ReactNode | undefined
  /** The buttons, shown in a row below the content. */
  actions?: ReactNode | undefined
  /** Level of the heading, h2 or h3. Default: 2. */
  level?: 2 | 3 | undefined
}

/** A box with an optional heading, content and buttons. */
export function Card({ heading, aside, children, actions, level = 2 }: CardProps) {
  const Heading = level === 2 ? 'h2' : 'h3'
  return (
    <article className={styles.card}>
      {(heading || aside) && (
        <div className={styles.head}>
          {heading && <Heading className={styles.heading}>{heading}</Heading>}
          {aside}
        </div>
      )}
      {children}
      {actions && <div className={styles.actions}>{actions}</div>}
    </article>
  )
}
