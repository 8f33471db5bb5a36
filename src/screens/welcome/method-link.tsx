import { useId } from 'react'
import { PageLink } from '#app/page-link.tsx'
import { Icon } from '#ui/icon.tsx'
import styles from './method-link.module.css'

type MethodLinkProps = { to: '/mobile' | '/mail'; name: string; detail: string }

/** A large link to one sign-in method. Its accessible name is the name of the method only. */
export function MethodLink({ to, name, detail }: MethodLinkProps) {
  const id = useId()
  return (
    <PageLink
      to={to}
      className={styles.link}
      aria-labelledby={`${id}-name`}
      aria-describedby={`${id}-detail`}
    >
      <span className={styles.words}>
        <span id={`${id}-name`} className={styles.name} data-listen>
          {name}
        </span>
        <span id={`${id}-detail`} className={styles.detail} data-listen>
          {detail}
        </span>
      </span>
      <Icon name="right" className={styles.arrow} />
    </PageLink>
  )
}
