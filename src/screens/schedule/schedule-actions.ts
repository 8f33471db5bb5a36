import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { isHandledByScreen } from '#api/result.ts'
import type { ApplicationId, ApplicationNumber, AppointmentId } from '#contract/ids.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { requireSynced } from '#app/require-synced.ts'
import { type ReservationKind, reservationKindOf } from './reservation-kind.ts'

type ScheduleParams = { appId: ApplicationId; appNumber: ApplicationNumber; appointmentId: AppointmentId }

/** What the two buttons do; one at a time. */
export function useScheduleActions({ appId, appNumber, appointmentId }: ScheduleParams) {
  const language = useLanguage()
  const services = useServices()
  const { call, device, deviceUse, notices, queries, queryClient, receipts, session } = services
  const navigate = useNavigate()
  const [busy, setBusy] = useState<'finalize' | 'cancel' | undefined>(undefined)
  // Both intents can only ever be answered one way, however often they are sent (D13).
  const [keys] = useState(() => ({ finalize: device.randomId(), cancel: device.randomId() }))
  const application = { appId, appNumber }
  const input = { params: { id: appointmentId }, query: { lg: language } }

  async function run(action: 'finalize' | 'cancel', work: () => Promise<void>) {
    if (busy !== undefined) return
    setBusy(action)
    try {
      if (await requireSynced(services, appId)) await work()
    } finally {
      setBusy(undefined)
    }
  }

  async function finalize() {
    const result = await call('confirmAppointment', input, { key: keys.finalize })
    if (!result.ok && !isHandledByScreen(result.problem)) return
    if (!result.ok || !result.value.data) return expire()
    notices.raise('success', { key: 'notice.accepted' })
    // On a kiosk the file would lie there for the next applicant; the final page prints it (D38).
    if (deviceUse.current().kind !== 'kiosk') void downloadReceipt()
    await invalidateChanged()
    await navigate({
      to: '/final/$appId/$appNumber/$appointmentId',
      params: { ...application, appointmentId },
    })
  }

  /** The final page offers the receipt too: a download that fails holds nothing up and says nothing. */
  async function downloadReceipt() {
    const receipt = await receipts.load({ appId, language, background: true })
    if (receipt) device.download(receipt, `${appNumber}.pdf`)
  }

  /** ERR22, S18. */
  function expire() {
    notices.raise('warning', { key: 'notice.reservationExpired' })
    return goToTimes()
  }

  /** A change goes back to the change of the appointment that is still booked. */
  async function goToTimes() {
    const kind = await readReservationKind()
    if (kind?.kind !== 'change' || kind.booked === undefined)
      return navigate({ to: '/appointment/$appId/$appNumber', params: application })
    const params = { ...application, appointmentId: kind.booked }
    return navigate({ to: '/appointment/$appId/$appNumber/$appointmentId', params })
  }

  async function cancel() {
    const kind = await readReservationKind()
    if (kind === undefined) return
    if (kind.kind === 'change') return leave(kind.booked)
    const request = { ...input, body: { cancel: true } as const }
    const result = await call('updateAppointment', request, { key: keys.cancel })
    if (!result.ok && !isHandledByScreen(result.problem)) return
    if (result.ok) notices.raise('success', { key: 'notice.appointmentCanceled' })
    else notices.raise('warning', { key: 'notice.changeRefused' })
    await invalidateChanged()
    await navigate({ to: '/procedure' })
  }

  async function leave(booked: AppointmentId | undefined) {
    if (booked === undefined) return navigate({ to: '/procedure' })
    const params = { ...application, appointmentId: booked }
    return navigate({ to: '/final/$appId/$appNumber/$appointmentId', params })
  }

  async function readReservationKind(): Promise<ReservationKind | undefined> {
    const state = session.state()
    if (state.kind !== 'signed-in') return undefined
    const list = queries.applications(state.claims.applicantId)
    const applications = await queryClient.fetchQuery(list).catch(() => undefined) // said where every call is watched
    return applications && reservationKindOf(applications, appId)
  }

  async function invalidateChanged() {
    await queryClient.invalidateQueries({ queryKey: ['applications'] })
    await queryClient.invalidateQueries({ queryKey: ['application-data', appId] })
    await queryClient.invalidateQueries({ queryKey: ['appointment'], refetchType: 'none' })
  }

  return {
    busy,
    finalize: () => run('finalize', finalize),
    cancel: () => run('cancel', cancel),
    chooseAgain: async () => (busy === undefined ? goToTimes() : undefined),
  }
}
