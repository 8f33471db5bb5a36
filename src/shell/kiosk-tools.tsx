import { useEffect, useState, useSyncExternalStore } from 'react'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServerInfo, useServices } from '#app/services.ts'
import { Button } from '#ui/button.tsx'

/** The office of a kiosk. Stands on the line of the issuer, which has room for it on a tablet (OFF16). */
export function KioskOffice({ officeId }: { officeId: string }) {
  return <span>{useOfficeName(officeId)}</span>
}

/** Ends the session, or a sign-in that was only begun, and erases its data from the device (D38, OFF16). */
export function KioskFinish() {
  const t = useText()
  const { session } = useServices()
  const [isErasing, setIsErasing] = useState(false)
  const step = useSyncExternalStore(session.subscribe, session.logoutStep, session.logoutStep)

  async function finish() {
    setIsErasing(true)
    await session.logOut()
    // This line runs only when the applicant stays signed in, because of answers that could not be sent.
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

/** Undefined until the server has answered, and always with a back end that does not offer `readOffice`. */
function useOfficeName(officeId: string): string | undefined {
  const { call } = useServices()
  const language = useLanguage()
  const canName = useServerInfo().value?.features.includes('officeName') === true
  const [name, setName] = useState<string>()

  // Not a query: TanStack Query is not loaded on the sign-in pages.
  useEffect(() => {
    if (!canName) return undefined
    let isCurrent = true
    void call('readOffice', { params: { officeId }, query: { lg: language } }, { background: true }).then(
      answer => isCurrent && answer.ok && setName(answer.value.data.name),
    )
    return () => {
      isCurrent = false
    }
  }, [call, canName, language, officeId])

  return name
}
