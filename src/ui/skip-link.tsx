import styles from './skip-link.module.css'

/** The first link of the page: moves the focus past the header to `main`. */
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
