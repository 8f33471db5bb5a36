import styles from './skip-link.module.css'

/** The first stop of the Tab key: past the header, to the frame's main. */
export function SkipLink({ text }: { text: string }) {
  return (
    <a
      className={styles.link}
      href="#main"
      onClick={event => {
        event.preventDefault()
        document.getElementById('main')?.focus()
      }}
    >
      {text}
    </a>
  )
}
