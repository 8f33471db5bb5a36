import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import styles from './foldable-section.module.css'
import { Icon } from './icon.tsx'
import { VisuallyHidden } from './visually-hidden.tsx'

interface FoldableSectionProps {
  id: string
  heading: string
  /** Says that the section is complete; without it the section cannot be folded. */
  completeText: string | undefined
  isFolded: boolean
  onToggle: () => void
  children: ReactNode
}

/** A section whose heading is a button while its content may be folded. Folded content stays mounted. */
export function FoldableSection({ id, heading, completeText, isFolded, ...props }: FoldableSectionProps) {
  return (
    <section className={styles.section} aria-labelledby={`${id}-heading`}>
      <h2 id={`${id}-heading`} className={styles.heading}>
        {completeText === undefined ? (
          heading
        ) : (
          <button
            type="button"
            className={styles.toggle}
            aria-expanded={!isFolded}
            aria-controls={id}
            onClick={props.onToggle}
          >
            <span>
              {heading}
              <VisuallyHidden>, {completeText}</VisuallyHidden>
            </span>
            <Icon name="tick" className={styles.tick} />
            <Icon name="down" className={classNames(styles.arrow, !isFolded && styles.open)} />
          </button>
        )}
      </h2>
      <div id={id} hidden={isFolded}>
        {props.children}
      </div>
    </section>
  )
}
