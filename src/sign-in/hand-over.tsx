import { useState } from 'react'
import { handOverParameter } from '#contract/codes.ts'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'

type HandOverProps = {
  /** The path that the other phone opens, once the applicant has signed in there. */
  path: string
  /** Sends the answers that this device can read. Resolves to true only when the server has all of these. */
  send: () => Promise<boolean>
}

type Content = typeof import('./hand-over-code.tsx')

/** Loads the content of the dialog only when the applicant hands over: this needs a connection in any case. */
function loadContent(): Promise<Content> {
  return loadWithRetry(() => import('./hand-over-code.tsx'))
}

/**
 * Sends the answers to the server, then shows a QR code with which another phone continues (D38). The code holds no
 * secret: a stranger who scans it sees the sign-in page or, when signed in, the stranger's own applications.
 */
export function HandOver({ path, send }: HandOverProps) {
  const t = useText()
  const { device, deviceUse, notices, session } = useServices()
  const [state, setState] = useState<'idle' | 'sending' | Content>('idle')
  const label = t(deviceUse.current().kind === 'kiosk' ? 'handOver.own' : 'handOver.button')
  const close = () => setState('idle')

  async function handOver() {
    setState('sending')
    const hasEnded = session.watchEnd()
    const isOnServer = await send().catch(() => false)
    const loaded = isOnServer && (await loadContent().catch(() => undefined))
    // A notice would hide the one of the log-out.
    if (!loaded && !hasEnded())
      notices.raise('warning', { key: isOnServer ? 'handOver.noCode' : 'handOver.failed' })
    setState(loaded || 'idle')
  }

  const content = typeof state === 'string' ? undefined : state

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
        open={content !== undefined}
        heading={label}
        onClose={close}
        actions={content && <content.HandOverActions onStay={close} />}
      >
        <p>{t('handOver.text')}</p>
        {content && <content.HandOverCode text={device.urlOf(`${path}?${handOverParameter}=1`)} />}
      </Dialog>
    </>
  )
}
