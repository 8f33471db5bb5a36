import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { ApplicationId, ApplicationParams, AppointmentId } from '#contract/ids.ts'
import { destinationOf } from '#contract/states.ts'
import { formatDay } from '#i18n/format-date.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useLoadedServices, useServices } from '#app/services.ts'
import { appointmentText } from '#summary/appointment-rows.ts'
import { type Clocks, elapsedMs, readClocks } from '#summary/elapsed-ms.ts'
import { heldMs } from '#summary/held-ms.ts'
import { linkButtonClass } from '#ui/button.tsx'
import { Panel } from '#ui/panel.tsx'

/** Shows a reservation that can still be confirmed, and an appointment that was cancelled because the office closes that day. */
export function BookingNotices(application: ApplicationParams) {
  const t = useText()
  const language = useLanguage()
  const listed = useListed(application.appId)
  const lost = listed?.lostToClosedDay
  return (
    <>
      {lost && (
        <Panel tone="warning" heading={t('appointment.closedHeading')}>
          <p>{t('appointment.closedText', { day: formatDay(lost.appointmentDate, language) })}</p>
        </Panel>
      )}
      {listed?.reservation && <HeldPlace {...application} reservation={listed.reservation} />}
    </>
  )
}

type HeldPlaceProps = ApplicationParams & {
  /** `appointmentDate`: null in the general queue. */
  reservation: { id: AppointmentId; appointmentDate: string | null; holdSeconds: number; receivedAt: Clocks }
}

/** Leads an applicant who has not confirmed yet back to the held place. */
function HeldPlace({ reservation, ...application }: HeldPlaceProps) {
  const t = useText()
  const language = useLanguage()
  const { device } = useServices()
  const { id, appointmentDate, holdSeconds, receivedAt } = reservation
  const [now, setNow] = useState(() => readClocks(device))
  const leftMs = heldMs(holdSeconds, elapsedMs(receivedAt, now))
  useEffect(() => {
    const update = () => setNow(readClocks(device))
    // Timers do not run while the phone sleeps (S85).
    const stopVisible = device.onPageVisible(update)
    const stopTimer = device.after(leftMs, update)
    return () => (stopVisible(), stopTimer())
  }, [device, leftMs])
  if (leftMs === 0) return null
  return (
    <Panel heading={t('appointment.heldHeading')}>
      <p className="day-line">
        <strong>{appointmentText(t, appointmentDate, language)}</strong>
      </p>
      <p>{t('appointment.heldText')}</p>
      <Link
        to="/schedule/$appId/$appNumber/$appointmentId"
        params={{ ...application, appointmentId: id }}
        className={linkButtonClass('secondary')}
      >
        {t('appointment.heldLink')}
      </Link>
    </Panel>
  )
}

/**
 * Returns the id of the booked appointment, else undefined. Another page or tab may have booked it since this screen
 * opened.
 */
export function useBookedId(appId: ApplicationId): AppointmentId | undefined {
  const listed = useListed(appId)
  return listed && destinationOf(listed.currentState) === 'final' ? listed.appointment?.id : undefined
}

function useListed(appId: ApplicationId) {
  const { queries, session } = useLoadedServices()
  const applicantId = session.signedInId()
  const list = useQuery({ ...queries.applications(applicantId ?? ''), enabled: applicantId !== undefined })
  return list.data?.find(({ id }) => id === appId)
}
