import { useSyncExternalStore } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#portal/services.ts'
import { Dialog } from '#ui/dialog.tsx'
import { Loader } from '#ui/loader.tsx'

/** While a shared device sends what is left and is cleared, there is nothing to be done on it (D31). */
export function LeavingCover() {
  const t = useText()
  const { deviceUse, session } = useServices()
  const leaving = useSyncExternalStore(session.subscribe, session.isLeaving)
  return (
    <Dialog
      open={leaving && deviceUse.isShared()}
      role="alertdialog"
      heading={t('leaving.heading')}
      onClose={stay}
    >
      <Loader text={t('leaving.text')} />
    </Dialog>
  )
}

/** It goes by itself, within seconds. */
function stay(): void {}
