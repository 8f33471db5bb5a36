import styles from './spinner.module.css'

/** A spinning ring. Screen readers skip it, so what the caller shows beside it must be clear without the ring. */
export function Spinner() {
  return <span className={styles.spinner} aria-hidden="true" />
}
