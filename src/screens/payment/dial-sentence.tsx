import { useText } from '#i18n/intl.ts'
import type { MessageKey } from '#i18n/intl.ts'
import styles from './dial-sentence.module.css'

/**
 * A sentence of the catalogue in which the code to dial, such as `#150*50#`, is a link that dials it. `text`: the key of a
 * message that contains `{code}` once.
 */
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
