import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { accountFeature } from '#contract/account.ts'
import { formatPhone } from '#contract/phone.ts'
import { isOpen } from '#contract/states.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { lazyPart } from '#app/lazy-part.tsx'
import { useLoadedServices, useServerInfo, useServices } from '#app/services.ts'
import { LostSteps } from '#case-file/lost-steps.tsx'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Drawing } from '#ui/drawing.tsx'
import { isOnlyOnDevice } from '#sync/check-synced.ts'
import { RetryPanel } from '#summary/retry-panel.tsx'
import { UnreadablePanel } from '#summary/unreadable-panel.tsx'
import { HandOver } from '#sign-in/hand-over.tsx'
import { Loader } from '#ui/loader.tsx'
import { Page } from '#ui/page.tsx'
import { ApplicationList } from './application-list.tsx'
import { InstallOffer } from './install-offer.tsx'
import { NewApplication } from './new-application.tsx'
import { KeepAccount } from '#sign-in/keep-account.tsx'
import { SecondContact } from '#sign-in/second-contact.tsx'
import { useLocalApplications } from './local-applications.ts'
import { useUnknownDrafts } from './use-unknown-drafts.ts'
import styles from './procedure-screen.module.css'

/** The drafts whose applications the server does not know. Loads only when there are such drafts, which is rare. */
const UnknownDrafts = lazyPart(
  'unknown-drafts',
  async () => (await import('./unknown-drafts.tsx')).UnknownDrafts,
  { showsLoading: true },
)

/** The applications of the applicant, and the tiles that start a new one (LST01–LST09, LST14). */
export function ProcedureScreen() {
  const t = useText()
  const { session, queries } = useLoadedServices()
  const language = useLanguage()
  const state = useSyncExternalStore(session.subscribe, session.state)
  // The list of countries needs the token, so the first screen after login requests it (OTP09, S50).
  useQuery({ ...queries.countries(language), enabled: state.kind === 'signed-in' })
  if (state.kind === 'signed-out') return null // the end of the session opens the welcome page

  const { applicantId, msisdn, email } = state.claims
  const contact = msisdn ? formatPhone(msisdn) : (email ?? '')
  const page = t('procedure.heading')
  return (
    <Page heading={page}>
      <title>{t('app.title', { page })}</title>
      <KeepAccount />
      <Applications applicantId={applicantId} />
      <SecondContact msisdn={msisdn} email={email} />
      <HandOverList />
      <div className={styles.leave}>
        {contact && <p>{t('procedure.signedInAs', { contact })}</p>}
        <AccountLink />
        <LogOut />
      </div>
    </Page>
  )
}

/** Absent when the server has no calls for the account (D5). */
function AccountLink() {
  const t = useText()
  const server = useServerInfo()
  if (!server.value?.features.includes(accountFeature)) return null
  return (
    <p className="link-line">
      <Link to="/account">{t('account.link')}</Link>
    </p>
  )
}

function Applications({ applicantId }: { applicantId: string }) {
  const t = useText()
  const { queries, sync } = useLoadedServices()
  const list = useQuery(queries.applications(applicantId))
  // With a fault the device may have applications that are not in the list (D74).
  const fault = useSyncExternalStore(sync.subscribe, sync.listFault)
  const unknown = useUnknownDrafts({ applicantId, list: list.data })
  const applications = list.data ?? []
  const started = useLocalApplications(fault, [
    ...applications.map(({ id }) => id),
    ...unknown.map(({ applicationId }) => applicationId),
  ])
  if (list.isPending && started.length === 0)
    return (
      <div className={styles.loading}>
        <Loader text={t('app.loading')} />
      </div>
    )
  const shown = [...started, ...applications]
  // An application that only this device has, and cannot read, does not prevent a new one. The sync may learn of it later.
  const mayStart = mayStartNew([...started.filter(({ isUnreadable }) => !isUnreadable), ...applications])
  return (
    <>
      {list.data === undefined && !list.isPending && (
        <RetryPanel tone="danger" text={t('procedure.loadFailed')} query={list} />
      )}
      {fault && (
        <UnreadablePanel onRetry={sync.readAgain}>
          <p>{t('procedure.unreadableList')}</p>
        </UnreadablePanel>
      )}
      <LostSteps />
      {shown.length > 0 && (
        <ApplicationList applications={shown} reload={async () => (await list.refetch()).data} />
      )}
      {shown.length === 0 && unknown.length === 0 && list.data && !fault && (
        <div className={styles.lead}>
          <Drawing name="emptyList" />
          <p data-listen>{t('procedure.empty')}</p>
        </div>
      )}
      {/* Before the list has loaded, it may have an open application (LST08). */}
      {mayStart && !list.isPending && <NewApplication applicantId={applicantId} />}
      {!mayStart && (
        <p className={styles.hint} data-listen>
          {t('procedure.oneAtATime')}
        </p>
      )}
      {unknown.length > 0 && <UnknownDrafts drafts={unknown} mayStart={mayStart} />}
      <InstallOffer applications={applications} />
    </>
  )
}

/**
 * An applicant has one open application at a time (LST07). Only NEW and DATA_SAVED are open, so an unknown state is not
 * (S48).
 */
export function mayStartNew(applications: readonly { currentState: string }[]): boolean {
  return !applications.some(({ currentState }) => isOpen(currentState))
}

/** Hands these applications over to another phone (D38). */
function HandOverList() {
  const services = useServices()

  async function send() {
    // Not the list of the sync, which is empty until its code has loaded and has read the store.
    const { found, fault } = await (await services.openStore()).drafts.findAll()
    const sent = await Promise.all(found.map(({ applicationId }) => services.sync.flush(applicationId)))
    const info = await services.serverInfo.readAny()
    // With a fault the device may have more drafts.
    return fault === undefined && sent.every(status => status && !isOnlyOnDevice(status, info?.epoch))
  }

  return (
    <ButtonRow>
      <HandOver path="/procedure" send={send} />
    </ButtonRow>
  )
}

/**
 * Log-out clears the page and opens the welcome page, even without a response (S80). Absent on a kiosk, whose header has one
 * button for this on every page (D38).
 */
function LogOut() {
  const t = useText()
  const { deviceUse, session } = useServices()
  const isLoggingOut = useSyncExternalStore(session.subscribe, session.logoutStep) !== 'none'
  if (deviceUse.current().kind === 'kiosk') return null
  return (
    <Button variant="secondary" busy={isLoggingOut} onClick={() => void session.logOut()}>
      {t('button.logOut')}
    </Button>
  )
}
