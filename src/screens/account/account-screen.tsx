import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { useText } from '#i18n/intl.ts'
import { useLoadedServices } from '#app/services.ts'
import { KeepAccount } from '#sign-in/keep-account.tsx'
import { findOwnContact } from '#sign-in/own-contact.ts'
import { SecondContact } from '#sign-in/second-contact.tsx'
import { RetryPanel } from '#summary/retry-panel.tsx'
import { linkButtonClass } from '#ui/button.tsx'
import { Loader } from '#ui/loader.tsx'
import { focusHeading, Page } from '#ui/page.tsx'
import { ContactList } from './contact-list.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { EventList } from './event-list.tsx'
import { MyData } from './my-data.tsx'
import { SessionList } from './session-list.tsx'
import styles from './account.module.css'

/** The applicant's own account: its contacts, open sessions and events (NAV31), its data (D98) and its deletion (D112). */
export function AccountScreen() {
  const t = useText()
  const { session, queries } = useLoadedServices()
  const state = useSyncExternalStore(session.subscribe, session.state)
  const account = useQuery(queries.account())
  if (state.kind === 'signed-out') return null // the end of the session opens the welcome page

  const { applicantId, msisdn, email, deletesAt } = state.claims
  const own = findOwnContact({ msisdn, email })
  const page = t('account.heading')
  /** Moves the focus to the heading, because the pressed button may be gone. */
  const reload = () => {
    focusHeading()
    void account.refetch()
  }
  return (
    <Page heading={page} lead={t('account.lead')}>
      <title>{t('app.title', { page })}</title>
      <KeepAccount />
      {account.isPending && <Loader text={t('app.loading')} />}
      {account.isError && <RetryPanel tone="danger" text={t('account.loadFailed')} query={account} />}
      {account.data && (
        <>
          <ContactList contacts={account.data.contacts} own={{ msisdn, email }} onChange={reload} />
          <SecondContact msisdn={msisdn} email={email} onAdded={reload} />
          <SessionList sessions={account.data.sessions} onTried={() => void account.refetch()} />
          <EventList events={account.data.events} hasOtherSessions={account.data.sessions.length > 1} />
          <MyData />
          {!deletesAt && own && <DeleteAccount applicantId={applicantId} contact={own} />}
        </>
      )}
      <p className={styles.back}>
        <Link to="/procedure" className={linkButtonClass('secondary')}>
          {t('account.back')}
        </Link>
      </p>
    </Page>
  )
}
