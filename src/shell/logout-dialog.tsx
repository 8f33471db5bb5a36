import { useSyncExternalStore } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Loader } from '#ui/loader.tsx'

/** A shared device sends what is left and is cleared; what it cannot send is not cleared unasked (D31). */
export function LogoutDialog() {
  const t = useText()
  const { deviceUse, session } = useServices()
  const step = useSyncExternalStore(session.subscribe, session.logoutStep, session.logoutStep)
  const stay = () => session.answerLogout(false)
  return (
    <>
      <Dialog
        open={(step === 'sending' || step === 'ending') && deviceUse.isShared()}
        role="alertdialog"
        heading={t('leaving.heading')}
        onClose={doNothing}
      >
        <Loader text={t('leaving.text')} />
      </Dialog>
      <Dialog
        open={step === 'asking'}
        role="alertdialog"
        heading={t('leaving.loseHeading')}
        onClose={stay}
        actions={
          <>
            <Button onClick={stay}>{t('leaving.stay')}</Button>
            <Button variant="secondary" onClick={() => session.answerLogout(true)}>
              {t('leaving.lose')}
            </Button>
          </>
        }
      >
        <p>{t('leaving.loseText')}</p>
      </Dialog>
    </>
  )
}

/** It goes by itself, within seconds. */
function doNothing(): void {}
