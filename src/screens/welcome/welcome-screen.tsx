import { Link } from '@tanstack/react-router'
import { useState, useSyncExternalStore } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { linkButtonClass } from '#ui/button.tsx'
import { Page, Section } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { MethodLink } from './method-link.tsx'

/** Two sign-in methods (NAV01). A signed-in applicant sees a link to the list and is never redirected (S50). */
export function WelcomeScreen() {
  const t = useText()
  const page = t('welcome.heading')
  return (
    <Page heading={page} lead={t('welcome.lead')}>
      <title>{t('app.title', { page })}</title>
      <SignedIn />
      <Section heading={t('welcome.choose')}>
        <MethodLink to="/mobile" name={t('welcome.phone')} detail={t('welcome.phoneDetail')} />
        <MethodLink to="/mail" name={t('welcome.email')} detail={t('welcome.emailDetail')} />
        <Panel>{t('welcome.same')}</Panel>
      </Section>
      <Section heading={t('welcome.needs')}>
        <ul data-listen>
          <li>{t('welcome.need1')}</li>
          <li>{t('welcome.need2')}</li>
          <li>{t('welcome.need3')}</li>
        </ul>
      </Section>
      <p>
        <Link to="/verify">{t('welcome.verify')}</Link>
      </p>
    </Page>
  )
}

function SignedIn() {
  const t = useText()
  const { session } = useServices()
  // This page has no guard that restores the session from the cookie, so it starts that itself.
  const [watch] = useState(() => (listener: () => void) => {
    void session.ready()
    return session.subscribe(listener)
  })
  const state = useSyncExternalStore(watch, session.state, session.state)
  if (state.kind === 'signed-out') return null
  return (
    <Panel tone="success" announce heading={t('welcome.signedIn')}>
      <p>
        <Link to="/procedure" className={linkButtonClass('primary')}>
          {t('welcome.toProcedure')}
        </Link>
      </p>
    </Panel>
  )
}
