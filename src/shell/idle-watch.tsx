import { useState, useSyncExternalStore } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#portal/services.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { createIdleClock } from './idle-clock.ts'

/** Warns an idle applicant for a minute, counting down, and then logs out (SES07–SES11, S79). */
export function IdleWatch() {
  const t = useText()
  const { device, session } = useServices()
  const [clock] = useState(() => createIdleClock(device, session))
  const seconds = useSyncExternalStore(clock.subscribe, clock.secondsLeft, clock.secondsLeft)
  return (
    <Dialog
      open={seconds !== undefined}
      role="alertdialog"
      heading={t('idle.heading')}
      onClose={clock.stay}
      actions={
        <>
          <Button onClick={clock.stay}>{t('idle.stay')}</Button>
          <Button variant="secondary" onClick={() => void session.logOut()}>
            {t('button.logOut')}
          </Button>
        </>
      }
    >
      <p>{t('idle.warning', { seconds: seconds ?? 0 })}</p>
    </Dialog>
  )
}
