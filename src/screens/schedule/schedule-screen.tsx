import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { AppointmentId } from '#contract/ids.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { Button, ButtonRow } from '#ui/button.tsx'
import { Loader } from '#ui/loader.tsx'
import { Page } from '#ui/page.tsx'
import { Panel } from '#ui/panel.tsx'
import { type HoldState, holdStateAt } from './hold-state.ts'
import { ReservedPlace } from './reserved-place.tsx'
import { useScheduleActions } from './schedule-actions.ts'

/** The reserved appointment, to be confirmed or given up (APT18–APT22). */
export function ScheduleScreen() {
  const t = useText()
  const params = useParams({ from: '/signed-in/schedule/$appId/$appNumber/$appointmentId' })
  const { appointment, hold, isError, retry } = useReservation(params.appointmentId)
  const { busy, finalize, cancel, chooseAgain } = useScheduleActions(params)
  const page = t('schedule.heading')
  return (
    <Page heading={page}>
      <title>{t('app.title', { page })}</title>
      {!appointment && !isError && <Loader text={t('app.loading')} />}
      {!appointment && isError && (
        <Panel tone="warning">
          <p>{t('notice.generic')}</p>
          <Button variant="secondary" onClick={() => void retry()}>
            {t('button.retry')}
          </Button>
        </Panel>
      )}
      <HoldNotice hold={hold} onChooseAgain={() => void chooseAgain()} />
      {appointment && <ReservedPlace appointment={appointment} />}
      {(appointment || isError) && (
        <ButtonRow>
          {appointment && (
            <Button busy={busy === 'finalize'} busyLabel={t('button.busy')} onClick={() => void finalize()}>
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

/** The reservation with what is left of it, recounted every five seconds and asked anew when the page is seen again. */
function useReservation(appointmentId: AppointmentId) {
  const language = useLanguage()
  const { device, queries, queryClient } = useServices()
  const asked = queries.appointment(appointmentId, language)
  const reservation = useQuery({
    queryKey: [...asked.queryKey, 'received'],
    queryFn: async () => ({
      appointment: await queryClient.fetchQuery(asked),
      receivedAt: device.monotonic(),
    }),
    staleTime: 0,
    refetchOnWindowFocus: 'always',
  })
  const now = useNow()
  const { appointment, receivedAt = now } = reservation.data ?? {}
  return {
    appointment,
    hold: holdStateAt(appointment?.holdSeconds, now - receivedAt),
    isError: reservation.isError,
    retry: reservation.refetch,
  }
}

const recountIntervalMs = 5_000

function useNow(): number {
  const { device } = useServices()
  const [now, setNow] = useState(() => device.monotonic())
  useEffect(() => {
    let stop = device.after(recountIntervalMs, recount)
    function recount() {
      setNow(device.monotonic())
      stop = device.after(recountIntervalMs, recount)
    }
    return () => stop()
  }, [device])
  return now
}

function HoldNotice({ hold, onChooseAgain }: { hold: HoldState; onChooseAgain: () => void }) {
  const t = useText()
  switch (hold.kind) {
    case 'none':
      return null
    case 'minutes':
      return <Panel>{t('schedule.held', { minutes: hold.minutes })}</Panel>
    case 'briefly':
      return <Panel tone="warning">{t('schedule.heldBriefly')}</Panel>
    case 'over':
      return (
        <Panel tone="warning" announce>
          <p>{t('notice.reservationExpired')}</p>
          <Button variant="secondary" onClick={onChooseAgain}>
            {t('schedule.chooseAgain')}
          </Button>
        </Panel>
      )
  }
}
