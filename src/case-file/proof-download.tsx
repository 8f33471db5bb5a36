import { useState } from 'react'
import type { ApplicationParams } from '#contract/ids.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { Button } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'
import { useBusy } from '#ui/use-busy.ts'

/** Downloads the case file as a PDF, for an operator or a help desk. */
export function ProofDownload(params: ApplicationParams) {
  const t = useText()
  const { deviceUse } = useServices()
  // A file would stay on the kiosk for the next applicant (D38).
  if (deviceUse.current().kind === 'kiosk') return <p>{t('account.dataShared')}</p>
  return <DownloadButton {...params} />
}

function DownloadButton({ appId, appNumber }: ApplicationParams) {
  const t = useText()
  const lg = useLanguage()
  const { call, device } = useServices()
  const { busy, runOnce } = useBusy()
  const [hasFailed, setFailed] = useState(false)

  async function download() {
    setFailed(false)
    // `background`: this button shows the failure, not a notice of the portal.
    const proof = await call('paymentProof', { params: { id: appId }, query: { lg } }, { background: true })
    if (proof.ok) device.download(proof.value, `${appNumber}-${t('case.fileName')}.pdf`)
    setFailed(!proof.ok)
  }

  return (
    <>
      {hasFailed && (
        <Panel tone="warning" announce>
          {t('case.downloadFailed')}
        </Panel>
      )}
      <Button
        variant="secondary"
        busy={busy}
        busyLabel={t('button.busy')}
        onClick={() => void runOnce(download)}
      >
        {t('case.download')}
      </Button>
    </>
  )
}
