import styles from './brand-mark.module.css'

/** The logo of the portal: a booklet with its spine, a shield with a tick, and a line below the shield. */
export function BrandMark() {
  return (
    <svg className={styles.mark} viewBox="0 0 40 48" aria-hidden="true" focusable="false">
      <path
        className={styles.booklet}
        d="M6.5 1.5H32a6.5 6.5 0 0 1 6.5 6.5v32a6.5 6.5 0 0 1-6.5 6.5H6.5a5 5 0 0 1-5-5v-35a5 5 0 0 1 5-5z"
      />
      <path className={styles.spine} d="M8.5 2v44" />
      <path
        className={styles.print}
        d="M23 10c3.3 2.6 6.2 3.3 9.5 3.5v7.5c0 6.2-3.7 10-9.5 12.5-5.8-2.5-9.5-6.3-9.5-12.5v-7.5c3.3-.2 6.2-.9 9.5-3.5z"
      />
      <path className={styles.print} d="M18.6 21.5l3.3 3.4 5.7-6.5" />
      <path className={styles.print} d="M17 40h12" />
    </svg>
  )
}
