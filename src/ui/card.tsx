import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import styles from './card.module.css'

interface CardProps {
  heading: ReactNode
  children?: ReactNode | undefined
  /** The buttons, shown in a row below the content. */
  actions?: ReactNode | undefined
  /** Level of the heading, h2 or h3. Default: 2. */
  level?: 2 | 3 | undefined
  /** Less high than the others beside it: there is nothing to do with it. */
  small?: boolean | undefined
}

/** A box with a heading, content and buttons. */
export function Card({ heading, children, actions, level = 2, small }: CardProps) {
  const Heading = level === 2 ? 'h2' : 'h3'
  return (
    <article className={classNames(styles.card, small && styles.small)}>
      <Heading className={styles.heading}>{heading}</Heading>
      {children}
      {actions && <div className={styles.actions}>{actions}</div>}
    </article>
  )
}
