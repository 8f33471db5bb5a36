import { Outlet, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { Frame } from '#ui/frame.tsx'
import { SkipLink } from '#ui/skip-link.tsx'
import { PortalFooter } from './portal-footer.tsx'
import { PortalHeader } from './portal-header.tsx'
import { InactivityWarning } from './inactivity-warning.tsx'
import { OfflineNotice } from './offline-notice.tsx'
import { LogoutDialog } from './logout-dialog.tsx'
import { watchNavigation } from './watch-navigation.ts'
import { RouteSteps } from './route-steps.tsx'
import { LastNotice, CurrentNotice } from './shell-notices.tsx'
import { UpdateNotice } from './update-notice.tsx'

/** The frame of every screen: header, notices, steps, footer and dialogs. */
export function Shell() {
  const t = useText()
  const router = useRouter()
  const { notices } = useServices()

  // The router emits its events outside React.
  useEffect(() => watchNavigation(router, notices), [router, notices])

  return (
    <Frame
      skipLink={<SkipLink text={t('app.skip')} />}
      header={<PortalHeader />}
      banner={
        <>
          <OfflineNotice />
          <CurrentNotice />
        </>
      }
      steps={<RouteSteps />}
      footer={<PortalFooter />}
    >
      <LastNotice />
      <UpdateNotice />
      <Outlet />
      <InactivityWarning />
      <LogoutDialog />
    </Frame>
  )
}
