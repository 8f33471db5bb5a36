import { lazy, Suspense, useState } from 'react'
import { handOverParameter } from '#contract/codes.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { Loader } from '#ui/loader.tsx'
import type { Autosave } from './autosave.ts'
import { useFormParams, useTab } from './form-route.ts'
import styles from './hand-over.module.css'

const QrCode = lazy(async () => ({ default: (await import('#ui/qr-code.tsx')).QrCode }))

/** On a kiosk: sends the draft to the server, so that the applicant can continue on a phone (D38). */
export function HandOver({ autosave }: { autosave: Autosave }) {
  const { deviceUse } = useServices()
  return deviceUse.current().kind === 'kiosk' ? <HandOverButton autosave={autosave} /> : null
}

function HandOverButton({ autosave }: { autosave: Autosave }) {
  const t = useText()
  const { device, notices, session, sync } = useServices()
  const { appId, appNumber } = useFormParams()
  const tab = useTab()
  const [state, setState] = useState<'idle' | 'sending' | 'shown'>('idle')
  // A stranger who scans the code learns only the id and the number: the form requires the applicant's sign-in code.
  const address = device.urlOf(`/form/${appId}/${appNumber}/${tab}?${handOverParameter}=1`)

  async function handOver() {
    setState('sending')
    await autosave.flush()
    const kind = (await sync.flush(appId))?.kind
    // `none`: the device has no draft, so the server's copy is complete, unless the device could not save the answers.
    const hasNoDraft = kind === 'none' && autosave.state().kind !== 'not-saved'
    const isOnServer = kind === 'sent' || hasNoDraft
    if (!isOnServer) notices.raise('warning', { key: 'handOver.failed' })
    setState(isOnServer ? 'shown' : 'idle')
  }

  return (
    <div className={styles.place}>
      <Button
        variant="quiet"
        busy={state === 'sending'}
        busyLabel={t('button.busy')}
        onClick={() => void handOver()}
      >
        {t('handOver.button')}
      </Button>
      <Dialog
        open={state === 'shown'}
        heading={t('handOver.heading')}
        onClose={() => setState('idle')}
        actions={
          <>
            <Button onClick={() => void session.logOut()}>{t('handOver.done')}</Button>
            <Button variant="secondary" onClick={() => setState('idle')}>
              {t('handOver.stay')}
            </Button>
          </>
        }
      >
        <p>{t('handOver.text')}</p>
        <div className={styles.code}>
          <Suspense fallback={<Loader text={t('app.loading')} />}>
            <QrCode text={address} label={t('handOver.code')} />
          </Suspense>
        </div>
      </Dialog>
    </div>
  )
}
