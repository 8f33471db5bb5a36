import { classNames } from './class-names.ts'
import styles from './icon.module.css'

const paths = {
  tick: 'M4.5 12.5l5 5 10-11',
  cross: 'M6 6l12 12M18 6L6 18',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  warning: 'M12 3.5L22 20.5H2zM12 10v4.5M12 17.4v.2',
  danger: 'M12 2.5a9.5 9.5 0 1 1 0 19 9.5 9.5 0 0 1 0-19zM12 7v6M12 16.6v.2',
  info: 'M12 2.5a9.5 9.5 0 1 1 0 19 9.5 9.5 0 0 1 0-19zM12 11v6M12 7.2v.2',
  left: 'M14.5 5l-7 7 7 7',
  right: 'M9.5 5l7 7-7 7',
  down: 'M5 9l7 7 7-7',
  calendar: 'M4 6h16v14H4zM4 10.5h16M8.5 3v5M15.500 3v5',
  search: 'M10.5 4a6.5 6.5 0 1 1 0 13 6.500 6.500 0 0 1 0-13zM15.500 15.500L21 21',
  coins: 'M3 7h18v11H3zM12 9.500a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM6 10.500v4M18 10.500v4',
  clock: 'M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18zM12 7v5l3.500 2',
  papers: 'M8 3h8l4 4v11H8zM16 3v4h4M8 6H4v15h12v-3M11 11h6M11 14h6',
  sound: 'M4 9.5h3.5L12 5.500v13l-4.500-4H4zM15.500 9a4.500 4.500 0 0 1 0 6M18 6.500a8 8 0 0 1 0 11',
  stop: 'M7 7h10v10H7z',
  offline:
    'M3 3l18 18M5 12.5a10 10 0 0 1 4-2.4M13.5 9.7a10 10 0 0 1 5.5 2.8M8.5 16a5 5 0 0 1 7 0M12 19.6v.1M2 9a15 15 0 0 1 4-2.6M10.5 5.100A15 15 0 0 1 22 9',
} satisfies Record<string, string>

export type IconName = keyof typeof paths

/** Hidden from screen readers: the caller says the same in a text, in a label or by the kind of the control. */
export function Icon({ name, className }: { name: IconName; className?: string | undefined }) {
  return (
    <svg
      className={classNames(styles.icon, className)}
      viewBox="0 0 24 24"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  )
}
