import { useQuery } from '@tanstack/react-query'
import { Navigate, useNavigate } from '@tanstack/react-router'
import { isReplaced, mayOpen } from '#contract/states.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useLoadedServices, useServices } from '#app/services.ts'
import { appointmentRows } from '#summary/appointment-rows.ts'
import { LoadFailed } from '#summary/load-failed.tsx'
import { summaryNames } from '#summary/summary-names.ts'
import { type SummarySection, summarySections } from '#summary/summary-sections.ts'
import { SummaryRows } from '#summary/summary-rows.tsx'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Disclosure } from '#ui/disclosure.tsx'
import { Loader } from '#ui/loader.tsx'
import { Page, Section } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { SummaryList } from '#ui/summary-list.tsx'
import { ChangeAppointment } from './change-appointment.tsx'
import { FinalPanel } from './final-panel.tsx'
import { useFinalParams } from './final-route.ts'
import { PaymentSection } from './payment-section.tsx'

/** The last screen: the receipt, and all data that the office will see (FIN01–FIN13). */
export function FinalScreen() {
  const t = useText()
  const heading = t('final.heading')
  const navigate = useNavigate()
  const { deviceUse, session } = useServices()
  const isKiosk = deviceUse.current().kind === 'kiosk'

  /** A kiosk logs the applicant out, because the next applicant is waiting (D38). */
  function close() {
    return isKiosk ? session.logOut() : navigate({ to: '/procedure' })
  }

  return (
    <Page heading={heading}>
      <title>{t('app.title', { page: heading })}</title>
      <OpenPageOfState />
      <FinalPanel />
      <Content />
      {isKiosk && <Panel tone="warning">{t('final.kioskEnds')}</Panel>}
      <ButtonRow>
        <Button variant="secondary" onClick={() => void close()}>
          {t('button.close')}
        </Button>
      </ButtonRow>
    </Page>
  )
}

/**
 * Lets the guard open the screen of the application's state, when another device or the office has changed or cancelled the
 * appointment since the page was opened, or deleted the application (S56, D129).
 */
function OpenPageOfState() {
  const { connectivity, queries, session } = useLoadedServices()
  const params = useFinalParams()
  const applicantId = session.signedInId()
  const list = useQuery({ ...queries.applications(applicantId ?? ''), enabled: applicantId !== undefined })
  // After an error the guard has no newer list, and would open this page again and again. Without a connection the list is the
  // copy on the device, which may be older than this page.
  if (!list.isSuccess || connectivity.isUnreachable()) return null
  const listed = list.data.find(({ id }) => id === params.appId)
  const isCurrent =
    listed && mayOpen('final', listed.currentState) && !isReplaced(params.appointmentId, listed)
  return isCurrent ? null : <Navigate to="/final/$appId/$appNumber/$appointmentId" params={params} replace />
}

/** All data that the office will see. */
function Content() {
  const t = useText()
  const { appId, appointmentId } = useFinalParams()
  const { queries } = useLoadedServices()
  const language = useLanguage()
  const data = useQuery(queries.applicationData(appId))
  const appointment = useQuery(queries.appointment(appointmentId, language))
  const payment = useQuery(queries.lastSuccessfulPayment(appId))
  const countries = useQuery(queries.countries(language))
  const occupations = useQuery(queries.professions(language))
  const failed = [data, appointment].filter(query => query.isError && !query.isFetching)
  if (failed.length > 0) return <LoadFailed onRetry={() => failed.forEach(query => void query.refetch())} />
  const waiting = payment.isPending || countries.isPending || occupations.isPending
  if (!data.data || !appointment.data || waiting) return <Loader text={t('app.loading')} />
  const names = summaryNames(t, { language, countries: countries.data, occupations: occupations.data })
  return (
    <>
      {summarySections(data.data, names).map(section => (
        <DataSection key={section.name} section={section} />
      ))}
      <Section headingId="appointment-heading" heading={t('section.appointment')}>
        <SummaryList rows={appointmentRows(t, appointment.data)} />
      </Section>
      <ChangeAppointment data={data.data} appointment={appointment.data} />
      {payment.data && <PaymentSection payment={payment.data} />}
    </>
  )
}

/** Person and residence are always open; the other sections are collapsed at first (FIN05). */
function DataSection({ section: { name, rows } }: { section: SummarySection }) {
  const t = useText()
  const heading = name === 'personal' ? t('section.biographic') : t(`section.${name}`)
  if (name === 'personal' || name === 'residence')
    return (
      <Section headingId={`${name}-heading`} heading={heading}>
        <SummaryRows rows={rows} />
      </Section>
    )
  return (
    <Disclosure summary={heading}>
      <SummaryRows rows={rows} />
    </Disclosure>
  )
}
