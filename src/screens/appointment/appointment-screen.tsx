import { useQuery } from '@tanstack/react-query'
import { Navigate, useParams } from '@tanstack/react-router'
import type { Appointment } from '#contract/appointment.ts'
import type { ApplicationId, AppointmentId } from '#contract/ids.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useLoadedServices } from '#app/services.ts'
import { appointmentText } from '#summary/appointment-rows.ts'
import { RetryPanel } from '#summary/retry-panel.tsx'
import { Loader } from '#ui/loader.tsx'
import { Page } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { BookingForm } from './booking-form.tsx'
import { BookingNotices, useBookedId } from './booking-notices.tsx'

/** Booking (APT01–APT17). */
export function AppointmentScreen() {
  const t = useText()
  const application = useParams({ from: '/signed-in/appointment/$appId/$appNumber' })
  const bookedId = useBookedId(application.appId)
  const page = t('appointment.heading')
  // The guard checks this too, but the schedule screen that the applicant left may have confirmed a booking since.
  if (bookedId !== undefined) {
    const params = { ...application, appointmentId: bookedId }
    return <Navigate to="/final/$appId/$appNumber/$appointmentId" params={params} replace />
  }
  return (
    <Page heading={page} lead={t('appointment.lead')}>
      <title>{t('app.title', { page })}</title>
      <BookingNotices {...application} />
      <BookingForm application={application} />
    </Page>
  )
}

/** Changes a booked appointment if the application and the appointment allow it (APT23, S60). */
export function ChangeAppointmentScreen() {
  const t = useText()
  const params = useParams({ from: '/signed-in/appointment/$appId/$appNumber/$appointmentId' })
  const { appointmentId, ...application } = params
  const change = useChangeAllowed(application.appId, appointmentId)
  const page = t('appointment.changeHeading')

  if (change.data?.allowed === false)
    return <Navigate to="/final/$appId/$appNumber/$appointmentId" params={params} replace />
  return (
    <Page heading={page} lead={t('appointment.lead')}>
      <title>{t('app.title', { page })}</title>
      {change.data && (
        <>
          <CurrentAppointment id={appointmentId} known={change.data.appointment} />
          <BookingNotices {...application} />
          <BookingForm
            application={application}
            bookedId={appointmentId}
            hasTime={Boolean(change.data.appointment.appointmentDate)}
          />
        </>
      )}
      {change.isPending && <Loader text={t('app.loading')} />}
      {change.isError && <RetryPanel text={t('notice.generic')} query={change} />}
    </Page>
  )
}

/**
 * Reads the permission again on each opening. The query itself raises the notice of a refusal, so that it appears once
 * (ERR23).
 */
function useChangeAllowed(appId: ApplicationId, appointmentId: AppointmentId) {
  const language = useLanguage()
  const { notices, queries, queryClient } = useLoadedServices()
  return useQuery({
    queryKey: ['change-allowed', appId, appointmentId],
    async queryFn() {
      const [data, appointment] = await Promise.all([
        queryClient.fetchQuery(queries.applicationData(appId)),
        queryClient.fetchQuery(queries.appointment(appointmentId, language)),
      ])
      const allowed = data.changeAppointmentAccess && appointment.changeAllowed
      if (!allowed) notices.raise('warning', { key: 'notice.changeRefused' })
      return { allowed, appointment }
    },
    gcTime: 0,
    staleTime: Infinity,
  })
}

/** `known`: the appointment that the permission was read with, perhaps in another language. */
function CurrentAppointment({ id, known }: { id: AppointmentId; known: Appointment }) {
  const t = useText()
  const language = useLanguage()
  const { queries } = useLoadedServices()
  const { data = known } = useQuery(queries.appointment(id, language))
  const { appointmentDate, nameOffice } = data
  return (
    <Panel heading={t('appointment.current')}>
      <p className="day-line">
        {appointmentText(t, appointmentDate, language)}
        <br />
        {nameOffice}
      </p>
    </Panel>
  )
}
