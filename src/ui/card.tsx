import type { ReactNode } from 'react'
import styles from './card.module.css'

interface CardProps {
  heading?: ReactNode | undefined
  /** Beside the heading: a badge, a small action. */
  aside?: ReactNode | undefined
  children?: ReactNode | undefined
  /** The row of buttons at the end. */
  actions?: ReactNode | undefined
  /** Level of the heading; 2 unless given. */
  level?: 2 | 3 | undefined
}

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
