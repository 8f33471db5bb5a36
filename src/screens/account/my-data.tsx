import { useState } from 'react'
import { type DataFormat, dataFormats } from '#contract/account.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Section } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'

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
  const lg = useLanguage()
  const { call, device } = useServices()
  const [state, setState] = useState<'idle' | 'failed' | DataFormat>('idle')

  async function download(format: DataFormat) {
    setState(format)
    const result = await call('downloadData', { query: { lg, format } })
    if (result.ok) {
      const { name, type, text } = result.value.data
      device.download(new Blob([text], { type }), name)
    }
    setState(result.ok ? 'idle' : 'failed')
  }

  return (
    <>
      {state === 'failed' && (
        <Panel tone="warning" announce>
          {t('account.dataFailed')}
        </Panel>
      )}
      <ButtonRow>
        {dataFormats.map(format => (
          <Button
            key={format}
            variant="secondary"
            busy={state === format}
            busyLabel={t('button.busy')}
            onClick={() => void download(format)}
          >
            {t(`account.dataAs.${format}`)}
          </Button>
        ))}
      </ButtonRow>
    </>
  )
}
