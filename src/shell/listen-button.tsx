import { type MouseEvent, useEffect, useState } from 'react'
import type { Speech } from '#device/device.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { usePathname, useServices } from '#app/services.ts'
import { Icon } from '#ui/icon.tsx'
import { useSnapshot } from '#ui/use-snapshot.ts'
import styles from './listen-button.module.css'
import { findSpokenTexts } from './read-aloud.ts'

/** Absent when the device has no voice of the page's language. */
export function ListenButton({ speech }: { speech: Speech }) {
  const language = useLanguage()
  const { session } = useServices()
  const pathname = usePathname()
  const { kind } = useSnapshot(session.subscribe, session.state)
  if (!speech.hasVoice(language)) return null
  // With another page, language or session React mounts a new button, so the old one stops its speech.
  return <SpeakingButton key={`${language} ${pathname} ${kind}`} speech={speech} />
}

/** Reads the page or the dialog aloud; pressed again, it stops. */
function SpeakingButton({ speech }: { speech: Speech }) {
  const t = useText()
  const language = useLanguage()
  const [isSpeaking, setIsSpeaking] = useState(false)
  // The speech is outside React, and would continue after the button is gone.
  useEffect(() => () => speech.stop(), [speech])

  function press({ currentTarget }: MouseEvent) {
    if (isSpeaking) return speech.stop()
    const root = currentTarget.closest('dialog') ?? document.getElementById('main')
    if (!root) return
    // `speak` also stops the speech that the button of another heading has started.
    setIsSpeaking(true)
    speech.speak(findSpokenTexts(root), { language, onEnd: () => setIsSpeaking(false) })
  }

  const label = t(isSpeaking ? 'listen.stop' : 'listen.start')
  return (
    <button type="button" className={styles.listen} aria-label={label} title={label} onClick={press}>
      <Icon name={isSpeaking ? 'stop' : 'sound'} />
    </button>
  )
}
