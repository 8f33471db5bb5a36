import { useEffect, useState } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { UnreadablePanel } from '#summary/unreadable-panel.tsx'
import { Loader } from '#ui/loader.tsx'
import { focusHeading, Page, WaitingPage } from '#ui/page.tsx'
import { ApplicationForm } from './application-form.tsx'
import { useFormParams, useTab } from './form-route.ts'
import { type FormStart, useFormStart } from './form-start.ts'
import { DeletedPanel } from './locked-panel.tsx'

/** The parent route of the four tabs: reads the form once, and stays mounted while the applicant changes the tab. */
export function FormScreen() {
  const { appId } = useFormParams()
  const { sync } = useServices()
  // The form keeps the id with which it was opened when the server gives the application another one (D33).
  const [openedId, setOpenedId] = useState(appId)
  if (appId !== openedId && appId !== sync.serverIdOf(openedId)) setOpenedId(appId)
  const start = useFormStart(openedId)
  const t = useText()
  const heading = t(`tab.${useTab()}`)
  const title = t('app.title', { page: heading })
  const isOpening = start.kind === 'loading' && !start.isRetry
  useEffect(() => {
    // When the screen opened it had no heading, so `watchNavigation` moved the focus to `main`.
    if (!isOpening && document.activeElement?.id === 'main') focusHeading()
  }, [isOpening])

  // The heading comes with the fields. Before them it would be alone for up to 0.4 s on a slow phone (D136).
  if (isOpening) return <WaitingPage text={t('app.loading')} title={title} />
  // The form and its placeholder share this heading, because it would lose the focus if it were replaced.
  return (
    <Page heading={heading}>
      {start.kind === 'ready' ? (
        <ApplicationForm key={openedId} start={start} heading={heading} />
      ) : (
        <FormPlaceholder start={start} title={title} />
      )}
    </Page>
  )
}

type PlaceholderProps = { start: Exclude<FormStart, { kind: 'ready' }>; title: string }

function FormPlaceholder({ start, title }: PlaceholderProps) {
  const t = useText()
  return (
    <>
      <title>{title}</title>
      {start.kind === 'loading' && <Loader text={t('app.loading')} />}
      {start.kind === 'deleted' && <DeletedPanel />}
      {start.kind === 'failed' && (
        <UnreadablePanel tone="danger" onRetry={start.retry}>
          <p>
            {t('form.loadFailed')} {start.isUnreadable && t('form.unreadable')}
          </p>
        </UnreadablePanel>
      )}
    </>
  )
}
