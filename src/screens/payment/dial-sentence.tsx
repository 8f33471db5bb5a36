import { useText } from '#i18n/intl.ts'
import type { MessageKey } from '#i18n/intl.ts'
import { SentenceAround } from '#ui/sentence-around.tsx'
import styles from './dial-sentence.module.css'

/**
 * A sentence of the catalogue in which the code to dial, such as `#150*50#`, is a link that dials it. `text`: the key of a
 * message that contains `{code}` once.
 */
export function DialSentence({ text, code }: { text: MessageKey; code: string }) {
  const t = useText()
  return (
    <SentenceAround sentence={t(text, { code })} part={code}>
      <a className={styles.dial} href={`tel:${encodeURIComponent(code)}`}>
        {code}
      </a>
    </SentenceAround>
  )
}
