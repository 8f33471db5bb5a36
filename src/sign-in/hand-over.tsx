import { useState } from 'react'
import { handOverParameter } from '#contract/codes.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { HandOverCode } from './hand-over-code.tsx'

type HandOverProps = {
  /** The path that the other phone opens. It needs the applicant's sign-in code there. */
  path: string
  /** Sends the answers of this device. Resolves to whether the server has all of them. */
  send: () => Promise<boolean>
}

/**
 * Sends the answers to the server, then shows a QR code with which another phone continues (D38). The code holds no
 * secret: a stranger who scans it sees the sign-in page.
 */
export function HandOver({ path, send }: HandOverProps) {
  const t = useText()
  const { device, deviceUse, notices } = useServices()
  const [state, setState] = useState<'idle' | 'sending' | 'shown'>('idle')
  const label = t(deviceUse.current().kind === 'kiosk' ? 'handOver.own' : 'handOver.button')
  const close = () => setState('idle')

  async function handOver() {
    setState('sending')
    const isOnServer = await send().catch(() => false)
    if (!isOnServer) notices.raise('warning', { key: 'handOver.failed' })
    setState(isOnServer ? 'shown' : 'idle')
  }

  return (
    <>
      <Button
        variant="quiet"
        busy={state === 'sending'}
        busyLabel={t('button.busy')}
        onClick={() => void handOver()}
      >
        {label}
      </Button>
      <Dialog
        open={state === 'shown'}
        heading={label}
        onClose={close}
        actions={<HandOverActions onStay={close} />}
      >
        <p>{t('handOver.text')}</p>
        <HandOverCode text={device.urlOf(`${path}?${handOverParameter}=1`)} />
      </Dialog>
    </>
  )
}

/** On a shared device the applicant should log out. */
function HandOverActions({ onStay }: { onStay: () => void }) {
  const t = useText()
  const { deviceUse, session } = useServices()
  if (!deviceUse.isShared()) return <Button onClick={onStay}>{t('button.close')}</Button>
  return (
    <>
      <Button onClick={() => void session.logOut()}>{t('handOver.done')}</Button>
      <Button variant="secondary" onClick={onStay}>
        {t('handOver.stay')}
      </Button>
    </>
  )
}
