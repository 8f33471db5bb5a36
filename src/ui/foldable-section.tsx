import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import styles from './foldable-section.module.css'
import { Icon } from './icon.tsx'
import { VisuallyHidden } from './visually-hidden.tsx'

interface FoldableSectionProps {
  id: string
  heading: string
  /**
   * A screen reader speaks this after the heading of a complete section. Undefined while the section is not complete: then it
   * cannot be folded, and `isFolded` must be false.
   */
  completeText: string | undefined
  isFolded: boolean
  onToggle: () => void
  children: ReactNode
}

/** While a section is complete, its heading is a button that folds the content. Folded content stays mounted. */
export function FoldableSection({
  id,
  heading,
  completeText,
  isFolded,
  onToggle,
  children,
}: FoldableSectionProps) {
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
            onClick={onToggle}
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
        {children}
      </div>
    </section>
  )
}
