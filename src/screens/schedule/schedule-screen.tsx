import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Appointment } from '#contract/appointment.ts'
import type { AppointmentId } from '#contract/ids.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useLoadedServices, useServices } from '#app/services.ts'
import { type Clocks, elapsedMs, readClocks } from '#summary/elapsed-ms.ts'
import { FinalBooking } from '#summary/final-booking.tsx'
import { RetryPanel } from '#summary/retry-panel.tsx'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Loader } from '#ui/loader.tsx'
import { Page } from '#ui/page.tsx'
import { HoldNotice, holdOf } from './hold-notice.tsx'
import { ReservedPlace } from './reserved-place.tsx'
import { useScheduleActions } from './schedule-actions.ts'

/** The reserved place, which the applicant confirms or cancels (APT18–APT22). */
export function ScheduleScreen() {
  const t = useText()
  const params = useParams({ from: '/signed-in/schedule/$appId/$appNumber/$appointmentId' })
  const { reservation, appointment, hold } = useReservation(params.appointmentId)
  const { isError } = reservation
  const { busy, finalize, cancel, chooseAgain } = useScheduleActions(params)
  const page = t('schedule.heading')
  return (
    <Page heading={page}>
      <title>{t('app.title', { page })}</title>
      {!appointment && !isError && <Loader text={t('app.loading')} />}
      {!appointment && isError && <RetryPanel text={t('notice.generic')} query={reservation} />}
      <HoldNotice hold={hold} onChooseAgain={() => void chooseAgain()} />
      {appointment && <ReservedPlace appointment={appointment} />}
      {appointment?.changeRefusal && <FinalBooking />}
      {(appointment || isError) && (
        <ButtonRow>
          {appointment && (
            <Button
              // Once the hold has expired the main button chooses another time; the server may still accept this one.
              variant={hold.kind === 'expired' ? 'secondary' : 'primary'}
              busy={busy === 'finalize'}
              busyLabel={t('button.busy')}
              onClick={() => void finalize()}
            >
              {t('button.finalize')}
            </Button>
          )}
          <Button
            variant="secondary"
            busy={busy === 'cancel'}
            busyLabel={t('button.busy')}
            onClick={() => void cancel()}
          >
            {t('button.cancel')}
          </Button>
        </ButtonRow>
      )}
    </Page>
  )
}

/** `holdSeconds` of the appointment is counted from `receivedAt`. */
type Received = { appointment: Appointment; receivedAt: Clocks }

/**
 * The reservation and its remaining time, which is computed every five seconds and when the page becomes visible. Each
 * return to the page also reads the reservation again.
 */
function useReservation(appointmentId: AppointmentId) {
  const language = useLanguage()
  const { connectivity, device, queries, queryClient } = useLoadedServices()
  const queryKey = [...queries.appointment(appointmentId, language).queryKey, 'received']
  const reservation = useQuery({
    queryKey,
    async queryFn(): Promise<Received> {
      const appointment = await queryClient.fetchQuery(queries.appointment(appointmentId, language))
      const earlier = queryClient.getQueryData<Received>(queryKey)
      // The answer on the device does not say for how long the place is held: the last answer of the server still does.
      const isCached = appointment.holdSeconds === null && connectivity.isUnreachable()
      return isCached && earlier ? earlier : { appointment, receivedAt: readClocks(device) }
    },
    staleTime: 0,
    meta: { staleAtReturnMs: 0 },
  })
  const now = useNow()
  const { appointment, receivedAt = now } = reservation.data ?? {}
  return {
    reservation,
    appointment,
    hold: appointment ? holdOf(appointment, elapsedMs(receivedAt, now)) : noHold,
  }
}

const noHold = { kind: 'none' } as const
const updateIntervalMs = 5_000

function useNow(): Clocks {
  const { device } = useServices()
  const [now, setNow] = useState(() => readClocks(device))
  useEffect(() => {
    let stopTimer = device.after(updateIntervalMs, update)
    // Timers do not run while the phone sleeps (S85).
    const stopVisible = device.onPageVisible(update)
    function update() {
      stopTimer()
      setNow(readClocks(device))
      stopTimer = device.after(updateIntervalMs, update)
    }
    return () => (stopTimer(), stopVisible())
  }, [device])
  return now
}
