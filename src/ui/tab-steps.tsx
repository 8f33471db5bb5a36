import { Fragment, type ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Icon } from './icon.tsx'
import styles from './tab-steps.module.css'
import { VisuallyHidden } from './visually-hidden.tsx'

export interface TabStep {
  key: string
  name: string
  icon: 'valid' | 'incomplete' | 'none'
  /** What the icon says, in words: "complet", "à compléter"; the latter also with 'none'. */
  iconText: string
  current: boolean
}

interface TabStepsProps<Item extends TabStep> {
  label: string
  items: readonly Item[]
  /** Renders the router's link; it must set aria-current="step" when `item.current`. */
  renderLink: (item: Item, className: string, content: ReactNode) => ReactNode
}

/** The tabs of a form as links in a list: each has its own address, so the list is not an ARIA tab list. */
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
                <span className={classNames(styles.mark, styles[item.icon])} aria-hidden="true">
                  <TabIcon icon={item.icon} position={index + 1} />
                </span>
                <span className={styles.name}>{item.name}</span>
                {item.iconText && (
                  <span className={styles.word}>
                    <VisuallyHidden>, </VisuallyHidden>
                    {item.iconText}
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

function TabIcon({ icon, position }: { icon: TabStep['icon']; position: number }) {
  if (icon === 'valid') return <Icon name="tick" />
  return icon === 'incomplete' ? '!' : position
}
