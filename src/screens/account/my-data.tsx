import { useState } from 'react'
import { type DataFormat, dataFormats } from '#contract/account.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Section } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { useBusy } from '#ui/use-busy.ts'

/** Downloads the data of the account (D98); never on a shared device, where the file would stay for the next person. */
export function MyData() {
  const t = useText()
  const { deviceUse } = useServices()
  return (
    <Section headingId="my-data-heading" heading={t('account.data')}>
      <p>{t('account.dataWhy')}</p>
      {deviceUse.isShared() ? <p>{t('account.dataShared')}</p> : <Downloads />}
    </Section>
  )
}

function Downloads() {
  const t = useText()
  const [hasFailed, setFailed] = useState(false)
  return (
    <>
      {hasFailed && (
        <Panel tone="warning" announce>
          {t('account.dataFailed')}
        </Panel>
      )}
      <ButtonRow>
        {dataFormats.map(format => (
          <DownloadButton key={format} format={format} setFailed={setFailed} />
        ))}
      </ButtonRow>
    </>
  )
}

type DownloadButtonProps = {
  format: DataFormat
  /** Called with false at a press, and with true after a failure. */
  setFailed: (hasFailed: boolean) => void
}

/** Does not call `setFailed` after a success: the download in the other format may have failed since the press. */
function DownloadButton({ format, setFailed }: DownloadButtonProps) {
  const t = useText()
  const lg = useLanguage()
  const { call, device } = useServices()
  const { busy, runOnce } = useBusy()

  async function download() {
    setFailed(false)
    const result = await call('downloadData', { query: { lg, format } })
    if (!result.ok) return setFailed(true)
    const { name, type, text } = result.value.data
    device.download(new Blob([text], { type }), name)
  }

  return (
    <Button
      variant="secondary"
      busy={busy}
      busyLabel={t('button.busy')}
      onClick={() => void runOnce(download)}
    >
      {t(`account.dataAs.${format}`)}
    </Button>
  )
}
