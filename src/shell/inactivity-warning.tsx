import { useState } from 'react'
import { useIntl } from 'react-intl'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { unloadWarning } from '#device/unload-warning.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { useSnapshot } from '#ui/use-snapshot.ts'
import { createInactivityTimer } from './inactivity-timer.ts'

/** Warns an inactive applicant with a countdown of one minute, then logs out (SES07–SES11, S79). */
export function InactivityWarning() {
  const t = useText()
  const { messages } = useIntl()
  const { device, deviceUse, session } = useServices()
  const [timer] = useState(() => createInactivityTimer(device, session, deviceUse.isShared))
  const seconds = useSnapshot(timer.subscribe, timer.secondsLeft)
  // Locked answers stay on the device, encrypted, until the applicant signs in again, but only for 7 days (D31).
  // Answers that the device could not save, as on a full disk, cannot be locked.
  const isLockable = session.canLockDrafts() && !unloadWarning.state()
  const sharedDeviceKey = isLockable ? 'idle.locked' : 'idle.deleted'
  const answersKey = deviceUse.isShared() ? sharedDeviceKey : 'idle.kept'
  // On a kiosk the same words as its button in the header. They load with that button, and may be missing until then.
  const isKiosk = deviceUse.current().kind === 'kiosk' && messages['kiosk.finish'] !== undefined
  return (
    <Dialog
      open={seconds !== undefined}
      role="alertdialog"
      heading={t('idle.heading')}
      onClose={timer.stay}
      actions={
        <>
          <Button onClick={timer.stay}>{t('idle.stay')}</Button>
          <Button variant="secondary" onClick={() => void session.logOut()}>
            {t(isKiosk ? 'kiosk.finish' : 'button.logOut')}
          </Button>
        </>
      }
    >
      <p>{t('idle.warning', { seconds: seconds ?? 0 })}</p>
      <p>{t(answersKey)}</p>
    </Dialog>
  )
}
