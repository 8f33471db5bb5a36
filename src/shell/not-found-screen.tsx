import { Link } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#portal/services.ts'
import { linkButtonClass } from '#ui/link-button.tsx'
import { Page } from '#ui/page.tsx'

/** An address that the portal does not have (S66). */
export function NotFoundScreen() {
  const t = useText()
  const { session } = useServices()
  const signedIn = useSyncExternalStore(session.subscribe, session.state).kind === 'signed-in'
  const page = t('notFound.heading')
  return (
    <Page heading={page} lead={t('notFound.lead')}>
      <title>{t('app.title', { page })}</title>
      <p>
        <Link to={signedIn ? '/procedure' : '/'} className={linkButtonClass('primary')}>
          {t(signedIn ? 'notFound.procedure' : 'notFound.home')}
        </Link>
      </p>
    </Page>
  )
}
