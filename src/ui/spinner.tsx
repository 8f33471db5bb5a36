import styles from './spinner.module.css'

/** A spinning ring without a text of its own. */
export function Spinner() {
  return <span className={styles.spinner} aria-hidden="true" />
}
