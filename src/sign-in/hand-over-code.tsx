import { type ComponentProps, type ComponentType, type MouseEvent, useEffect, useState } from 'react'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { Button } from '#ui/button.tsx'
import { Loader } from '#ui/loader.tsx'
import { Panel } from '#ui/panel.tsx'
import styles from './hand-over.module.css'

type QrCodeProps = ComponentProps<typeof import('#ui/qr-code.tsx').QrCode>
type Load = { kind: 'loading' } | { kind: 'failed' } | { kind: 'loaded'; QrCode: ComponentType<QrCodeProps> }

/** The QR code, or a warning with a retry when the file of its component does not load. */
export function HandOverCode({ text }: { text: string }) {
  const t = useText()
  const [load, setLoad] = useState<Load>({ kind: 'loading' })

  // Not React.lazy: when the load fails, React.lazy throws, and the failure page replaces the whole page.
  useEffect(() => {
    if (load.kind !== 'loading') return undefined
    let isCurrent = true
    loadWithRetry(() => import('#ui/qr-code.tsx')).then(
      ({ QrCode }) => isCurrent && setLoad({ kind: 'loaded', QrCode }),
      () => isCurrent && setLoad({ kind: 'failed' }),
    )
    return () => {
      isCurrent = false
    }
  }, [load.kind])

  function retry({ currentTarget }: MouseEvent) {
    // The pressed button disappears with the warning.
    currentTarget.closest('dialog')?.querySelector('h2')?.focus()
    setLoad({ kind: 'loading' })
  }

  if (load.kind === 'failed')
    return (
      <Panel tone="warning" announce>
        <p>{t('handOver.noCode')}</p>
        <Button variant="secondary" onClick={retry}>
          {t('button.retry')}
        </Button>
      </Panel>
    )
  return (
    <div className={styles.code}>
      {load.kind === 'loaded' ? (
        <load.QrCode text={text} label={t('handOver.code')} />
      ) : (
        <Loader text={t('app.loading')} />
      )}
    </div>
  )
}

/** On the applicant's own device: Close. On a shared one: the log-out, which the applicant should use, and Stay. */
export function HandOverActions({ onStay }: { onStay: () => void }) {
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
