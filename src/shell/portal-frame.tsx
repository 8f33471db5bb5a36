import { lazy, type ReactNode, Suspense, useState, useSyncExternalStore } from 'react'
import { loadWithRetry } from '#device/load-with-retry.ts'
import { useText } from '#i18n/intl.ts'
import { PathnameContext, useServices } from '#app/services.ts'
import { Frame } from '#ui/frame.tsx'
import { HeadingTool } from '#ui/heading-tool.ts'
import { SkipLink } from '#ui/skip-link.tsx'
import { PortalFooter } from './portal-footer.tsx'
import { PortalHeader } from './portal-header.tsx'
import { OfflineNotice } from './offline-notice.tsx'
import { RouteSteps } from './route-steps.tsx'
import { ShellNotices } from './shell-notices.tsx'
import { UpdateNotice } from './update-notice.tsx'
import { usePageTools } from './use-page-tools.tsx'

/** When the load fails, the page shows the failure: without these dialogs a session would not end after inactivity. */
const SessionDialogs = lazy(() =>
  loadWithRetry(() => import('./session-dialogs.tsx')).then(module => ({ default: module.SessionDialogs })),
)

type PortalFrameProps = { pathname: string; children: ReactNode }

/** The frame of every screen: header, notices, steps, footer and dialogs. */
export function PortalFrame({ pathname, children }: PortalFrameProps) {
  const t = useText()
  const { listen, kiosk } = usePageTools()
  return (
    <PathnameContext value={pathname}>
      <Frame
        skipLink={<SkipLink text={t('app.skip')} />}
        header={<PortalHeader {...kiosk} />}
        banner={<OfflineNotice />}
        steps={<RouteSteps />}
        footer={<PortalFooter />}
      >
        <ShellNotices />
        <UpdateNotice />
        <HeadingTool value={listen}>
          {children}
          <DialogsOfSession />
        </HeadingTool>
      </Frame>
    </PathnameContext>
  )
}

/** Rendered from the first session of this page on, also after its end, because the log-out dialog stays open then. */
function DialogsOfSession() {
  const { session } = useServices()
  const isSignedIn = useSyncExternalStore(session.subscribe, () => session.state().kind === 'signed-in', no)
  const [hadSession, setHadSession] = useState(isSignedIn)
  if (isSignedIn && !hadSession) setHadSession(true)
  return hadSession || isSignedIn ? (
    <Suspense>
      <SessionDialogs />
    </Suspense>
  ) : null
}

function no(): boolean {
  return false
}
