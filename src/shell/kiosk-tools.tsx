import { useEffect, useState, useSyncExternalStore } from 'react'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServerInfo, useServices } from '#app/services.ts'
import type { Session } from '#session/session.ts'
import { Button } from '#ui/button.tsx'
import { useSnapshot } from '#ui/use-snapshot.ts'

/** The office of a kiosk, shown beside the issuer: a tablet is wide enough for both (OFF16). */
export function KioskOffice({ officeId }: { officeId: string }) {
  return <span>{useOfficeName(officeId)}</span>
}

const typedKey = 'typed'

/**
 * Ends the session, or a sign-in that was only begun, and erases its data from the device (D38, OFF16). Absent while no
 * applicant is signed in and nothing was typed in this tab: then there is nothing to erase.
 */
export function KioskFinish() {
  const { session } = useServices()
  const isSignedIn = useSyncExternalStore(session.subscribe, () => session.state().kind === 'signed-in')
  const hasTyped = useHasTyped()
  return isSignedIn || hasTyped ? <FinishButton /> : null
}

/** Whether a visitor has typed or chosen something in this tab since the device was last erased. */
function useHasTyped(): boolean {
  const { device } = useServices()
  const [hasTyped, setHasTyped] = useState(() => device.readTabText(typedKey) !== undefined || hasAnswers())
  useEffect(() => {
    const remember = () => {
      device.saveTabText(typedKey, '1')
      setHasTyped(true)
    }
    addEventListener('input', remember)
    return () => removeEventListener('input', remember)
  }, [device])
  return hasTyped
}

/** Whether a visitor has typed something before this file was loaded. */
function hasAnswers(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement>('input:not([type=checkbox]):not([type=radio])')
  return [...fields].some(({ value }) => value !== '')
}

function FinishButton() {
  const t = useText()
  const { session } = useServices()
  const [isErasing, setIsErasing] = useState(false)
  const step = useSnapshot(session.subscribe, session.logoutStep)

  async function finish() {
    setIsErasing(true)
    await eraseVisit(session)
    // An applicant can stay signed in, to keep answers that would be lost, and the server can refuse the session during
    // the log-out. In every other case the browser opens a new page.
    setIsErasing(false)
  }

  return (
    <Button
      variant="secondary"
      busy={isErasing || step !== 'none'}
      busyLabel={t('button.busy')}
      onClick={() => void finish()}
    >
      {t('kiosk.finish')}
    </Button>
  )
}

/** Logs out and erases the device. Without a session, the next page says only that the screen is cleared. */
export function eraseVisit(session: Pick<Session, 'logOut' | 'state'>): Promise<void> {
  return session.logOut(session.state().kind === 'signed-in' ? 'asked' : 'erased')
}

/** Undefined until the server has answered, and always with a back end that does not offer `readOffice`. */
function useOfficeName(officeId: string): string | undefined {
  const { call } = useServices()
  const language = useLanguage()
  const offersName = useServerInfo().value?.features.includes('officeName') === true
  const [name, setName] = useState<string>()

  // Not a query: on a sign-in page TanStack Query may not be loaded.
  useEffect(() => {
    if (!offersName) return undefined
    let isCurrent = true
    void call('readOffice', { params: { officeId }, query: { lg: language } }, { background: true }).then(
      answer => isCurrent && answer.ok && setName(answer.value.data.name),
    )
    return () => {
      isCurrent = false
    }
  }, [call, offersName, language, officeId])

  return name
}
