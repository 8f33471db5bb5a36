import styles from './loader.module.css'
import { Spinner } from './spinner.tsx'

export function Loader({ text }: { text: string }) {
  return (
    <output className={styles.loader}>
      <Spinner />
      <span>{text}</span>
    </output>
  )
}
