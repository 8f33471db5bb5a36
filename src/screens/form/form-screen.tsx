import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Loader } from '#ui/loader.tsx'
import { Page } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { ApplicationForm } from './application-form.tsx'
import { useFormStart } from './form-loader.ts'
import { useFormParams, useTab } from './form-route.ts'

/** The frame of the four tabs: it reads the form once, then holds it while the tabs come and go. */
export function FormScreen() {
  const { appId } = useFormParams()
  const { sync } = useServices()
  // A form that was started without the line stays the same form when it gets its number.
  const origin = sync.localIdOf(appId)
  const start = useFormStart(origin)
  if (start.kind === 'ready') return <ApplicationForm key={origin} start={start} />
  return <Unready start={start} />
}

function Unready({ start }: { start: Exclude<ReturnType<typeof useFormStart>, { kind: 'ready' }> }) {
  const t = useText()
  const heading = t(`tab.${useTab()}`)
  return (
    <Page heading={heading}>
      <title>{t('app.title', { page: heading })}</title>
      {start.kind === 'loading' ? (
        <Loader text={t('app.loading')} />
      ) : (
        <>
          <Panel tone="danger" announce>
            {t('form.loadFailed')}
          </Panel>
          <ButtonRow>
            <Button onClick={start.retry}>{t('button.retry')}</Button>
          </ButtonRow>
        </>
      )}
    </Page>
  )
}
