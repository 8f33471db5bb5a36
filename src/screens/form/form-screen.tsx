import { useState } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Loader } from '#ui/loader.tsx'
import { Page } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { ApplicationForm } from './application-form.tsx'
import { useFormParams, useTab } from './form-route.ts'
import { type FormStart, useFormStart } from './form-start.ts'

/** The parent route of the four tabs: reads the form once, and stays mounted while the applicant changes the tab. */
export function FormScreen() {
  const { appId } = useFormParams()
  const { sync } = useServices()
  // The form keeps the id with which it was opened when the server gives the application another one (D33).
  const [openedId, setOpenedId] = useState(appId)
  if (appId !== openedId && appId !== sync.serverIdOf(openedId)) setOpenedId(appId)
  const start = useFormStart(openedId)
  const heading = useText()(`tab.${useTab()}`)
  // Both contents share this heading: it gets the focus when the screen opens, and would lose it if it were replaced.
  return (
    <Page heading={heading}>
      {start.kind === 'ready' ? (
        <ApplicationForm key={openedId} start={start} heading={heading} />
      ) : (
        <FormPlaceholder start={start} heading={heading} />
      )}
    </Page>
  )
}

type PlaceholderProps = { start: Exclude<FormStart, { kind: 'ready' }>; heading: string }

function FormPlaceholder({ start, heading }: PlaceholderProps) {
  const t = useText()
  return (
    <>
      <title>{t('app.title', { page: heading })}</title>
      {start.kind === 'loading' ? (
        <Loader text={t('app.loading')} />
      ) : (
        <>
          <Panel tone="danger" announce>
            {t('form.loadFailed')} {start.isUnreadable && t('form.unreadable')}
          </Panel>
          <ButtonRow>
            <Button onClick={start.retry}>{t('button.retry')}</Button>
          </ButtonRow>
        </>
      )}
    </>
  )
}
