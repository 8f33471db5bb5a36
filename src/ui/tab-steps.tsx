import { Fragment, type ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Icon } from './icon.tsx'
import styles from './tab-steps.module.css'
import { VisuallyHidden } from './visually-hidden.tsx'

export interface TabStep {
  key: string
  name: string
  mark: 'valid' | 'required' | 'none'
  /** The mark as a word: "complet", "à compléter"; may be empty for 'none'. */
  markWord: string
  current: boolean
}

interface TabStepsProps<Item extends TabStep> {
  label: string
  items: readonly Item[]
  /** Renders the router's link; it must set aria-current="step" when `item.current`. */
  renderLink: (item: Item, className: string, content: ReactNode) => ReactNode
}

/** The tabs of a form as links in a list: each has its own address, so they are no ARIA tab list. */
export function TabSteps<Item extends TabStep>({ label, items, renderLink }: TabStepsProps<Item>) {
  return (
    <nav className={styles.tabs} aria-label={label}>
      <ol className={styles.list}>
        {items.map((item, index) => (
          <li key={item.key} className={styles.item}>
            {renderLink(
              item,
              classNames(styles.link, item.current && styles.current),
              <Fragment>
                <span className={classNames(styles.mark, styles[item.mark])} aria-hidden="true">
                  <Mark mark={item.mark} position={index + 1} />
                </span>
                <span className={styles.name}>{item.name}</span>
                {item.markWord && (
                  <span className={styles.word}>
                    <VisuallyHidden>, </VisuallyHidden>
                    {item.markWord}
                  </span>
                )}
              </Fragment>,
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}

function Mark({ mark, position }: { mark: TabStep['mark']; position: number }) {
  if (mark === 'valid') return <Icon name="tick" />
  return mark === 'required' ? '!' : position
}
