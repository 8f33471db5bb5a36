import { Outlet, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#portal/services.ts'
import { Frame } from '#ui/frame.tsx'
import { SkipLink } from '#ui/skip-link.tsx'
import { FooterLine } from './footer-line.tsx'
import { HeaderLine } from './header-line.tsx'
import { IdleWatch } from './idle-watch.tsx'
import { OfflineLine } from './offline-line.tsx'
import { LeavingCover } from './leaving-cover.tsx'
import { watchPageTurns } from './page-turns.ts'
import { RouteSteps } from './route-steps.tsx'
import { NoticeLast, NoticeNow } from './shell-notices.tsx'
import { UpdateNotice } from './update-notice.tsx'

/** What stands around every screen. */
export function Shell() {
  const t = useText()
  const router = useRouter()
  const { notices } = useServices()

  // The router turns pages outside of React.
  useEffect(() => watchPageTurns(router, notices), [router, notices])

  return (
    <Frame
      skipLink={<SkipLink text={t('app.skip')} />}
      header={<HeaderLine />}
      banner={
        <>
          <OfflineLine />
          <NoticeNow />
        </>
      }
      steps={<RouteSteps />}
      footer={<FooterLine />}
    >
      <NoticeLast />
      <UpdateNotice />
      <Outlet />
      <IdleWatch />
      <LeavingCover />
    </Frame>
  )
}
