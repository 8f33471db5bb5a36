import { useText } from '#i18n/intl.ts'
import type { MessageKey } from '#i18n/intl.ts'
import styles from './dial-link.module.css'

/** A sentence with a code to dial inside it, as a link that dials the code. `text` has the placeholder `code`. */
export function DialSentence({ text, code }: { text: MessageKey; code: string }) {
  const t = useText()
  const [before = '', after = ''] = t(text, { code }).split(code)
  return (
    <>
      {before}
      <a className={styles.dial} href={`tel:${encodeURIComponent(code)}`}>
        {code}
      </a>
      {after}
    </>
  )
}
