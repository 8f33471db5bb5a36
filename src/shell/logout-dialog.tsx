import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Loader } from '#ui/loader.tsx'
import { doNothing } from '#device/do-nothing.ts'
import { useSnapshot } from '#ui/use-snapshot.ts'

/**
 * On a shared device a log-out sends the unsent drafts and wipes the device. If drafts cannot be sent, or the device
 * cannot read them, this dialog asks before the wipe, when it was the applicant who wanted to log out (D31, D74).
 */
export function LogoutDialog() {
  const t = useText()
  const { deviceUse, session } = useServices()
  const step = useSnapshot(session.subscribe, session.logoutStep)
  const isUnreadable = step === 'asking-unreadable'
  const stay = () => session.answerLogout(false)
  return (
    <>
      <Dialog
        open={(step === 'sending' || step === 'ending') && deviceUse.isShared()}
        role="alertdialog"
        heading={t('leaving.heading')}
        // It closes by itself within seconds, so Escape does not close it.
        onClose={doNothing}
      >
        <Loader text={t('leaving.text')} />
      </Dialog>
      <Dialog
        open={step === 'asking' || isUnreadable}
        role="alertdialog"
        heading={t(isUnreadable ? 'leaving.unreadableHeading' : 'leaving.loseHeading')}
        onClose={stay}
        actions={
          <>
            <Button onClick={stay}>{t('leaving.stay')}</Button>
            <Button variant="danger" onClick={() => session.answerLogout(true)}>
              {t('leaving.lose')}
            </Button>
          </>
        }
      >
        <p>{t(isUnreadable ? 'leaving.unreadableText' : 'leaving.loseText')}</p>
      </Dialog>
    </>
  )
}
