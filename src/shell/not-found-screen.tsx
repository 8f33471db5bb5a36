import { Link } from '@tanstack/react-router'
import { useEffect, useSyncExternalStore } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { ButtonRow, linkButtonClass } from '#ui/button.tsx'
import { Page } from '#ui/page.tsx'

/** Shown for a URL without a route (S66). */
export function NotFoundScreen() {
  const t = useText()
  const { session } = useServices()
  const signedIn = useSyncExternalStore(session.subscribe, session.state).kind === 'signed-in'
  // The guard that restores the session belongs to the screens after the sign-in, so this page restores it itself.
  useEffect(() => void session.ready(), [session])
  const page = t('notFound.heading')
  return (
    <Page heading={page} lead={t('notFound.lead')}>
      <title>{t('app.title', { page })}</title>
      <ButtonRow>
        {signedIn && (
          <Link to="/procedure" className={linkButtonClass('primary')}>
            {t('notFound.procedure')}
          </Link>
        )}
        <Link to="/" className={linkButtonClass(signedIn ? 'secondary' : 'primary')}>
          {t('notFound.home')}
        </Link>
      </ButtonRow>
    </Page>
  )
}
