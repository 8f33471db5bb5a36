import { classNames } from './class-names.ts'
import styles from './badge.module.css'
import { Icon } from './icon.tsx'
import { toneIcons, type Tone } from './tone-icon.ts'

/** A state in a few words, with an icon. */
export function Badge({ tone, text }: { tone: Tone; text: string }) {
  return (
    <span className={classNames(styles.badge, styles[tone])}>
      <Icon name={toneIcons[tone]} />
      <span>{text}</span>
    </span>
  )
}
