import { useLanguage } from '#i18n/use-language.ts'
import { useState } from 'react'
import { isHandledByScreen } from '#api/result.ts'
import type { Language } from '#contract/codes.ts'
import type { ApplicationParams, AppointmentId } from '#contract/ids.ts'
import { type LoadedServices, useLoadedServices } from '#app/services.ts'
import { requireSynced } from '#app/require-synced.ts'
import { useNavigateUnlessLeft } from '#app/use-navigate-unless-left.ts'
import { useRequestKey } from '#app/use-request-key.ts'
import { type ReservationKind, reservationKindOf } from './reservation-kind.ts'
import { loadReceipt } from '#sync/receipts.ts'

type ScheduleParams = ApplicationParams & { appointmentId: AppointmentId }

/** What the actions of one visit to the screen work with. */
type ActionContext = ScheduleParams & {
  services: LoadedServices
  navigate: ReturnType<typeof useNavigateUnlessLeft>
  language: Language
  requestKey: ReturnType<typeof useRequestKey>
}

/** The actions of the buttons. None begins while `finalize` or `cancel` runs. */
export function useScheduleActions(params: ScheduleParams) {
  const language = useLanguage()
  const services = useLoadedServices()
  const navigate = useNavigateUnlessLeft()
  const [busy, setBusy] = useState<'finalize' | 'cancel' | undefined>(undefined)
  const requestKey = useRequestKey()
  const context = { ...params, services, navigate, language, requestKey }

  async function run(action: 'finalize' | 'cancel', work: (context: ActionContext) => Promise<void>) {
    if (busy !== undefined) return
    setBusy(action)
    try {
      if (await requireSynced(services, params.appId)) await work(context)
    } finally {
      setBusy(undefined)
    }
  }

  return {
    busy,
    finalize: () => run('finalize', finalize),
    cancel: () => run('cancel', cancel),
    chooseAgain: async () => (busy === undefined ? goToTimes(context) : undefined),
  }
}

async function finalize(context: ActionContext) {
  const { services, navigate, requestKey, appId, appNumber, appointmentId, language } = context
  const { call, deviceUse, notices, queries, queryClient } = services
  const request = inputOf(context)
  const result = await call('confirmAppointment', request, { key: requestKey.of(request) })
  if (!result.ok && !isHandledByScreen(result.problem)) return
  requestKey.forget()
  if (!result.ok || !result.value.data) return explainUnconfirmed(context)
  notices.raise('success', { key: 'notice.accepted' })
  // A kiosk would keep the file for the next applicant; its final screen has a button that prints the receipt (D38).
  if (deviceUse.current().kind !== 'kiosk') void downloadReceipt(context)
  await rememberBooked(context)
  await invalidateChanged(context)
  // These reads share the round trip in which the guard of the next screen reads the list.
  void queryClient.prefetchQuery(queries.appointment(appointmentId, language))
  void queryClient.prefetchQuery(queries.applicationData(appId))
  void queryClient.prefetchQuery(queries.lastSuccessfulPayment(appId))
  await navigate({
    to: '/final/$appId/$appNumber/$appointmentId',
    params: { appId, appNumber, appointmentId },
  })
}

/** The connection may be lost before the list is read again. */
async function rememberBooked({ services, appId, appointmentId, language }: ActionContext) {
  const { queries, queryClient } = services
  const shown = queryClient.getQueryData(queries.appointment(appointmentId, language).queryKey)
  await queries.rememberBooked({ appId, id: appointmentId, appointmentDate: shown?.appointmentDate })
}

/**
 * After a refused confirmation, asks whether the server still holds the place (ERR22, S18). If the server holds it, or
 * gives no answer, the applicant stays here; otherwise the screen to choose a time opens (`goToTimes`). The portal
 * raises the notice of a missing answer for all calls.
 */
async function explainUnconfirmed(context: ActionContext) {
  const { call, notices, queries, queryClient } = context.services
  // The query would answer from the cache, which does not know for how long the place is held.
  const read = await call('readAppointment', inputOf(context))
  if (!read.ok && !isHandledByScreen(read.problem)) return
  if (!read.ok || !read.value.data.holdSeconds) {
    notices.raise('warning', { key: 'notice.reservationExpired' })
    return goToTimes(context)
  }
  const kind = await readReservationKind(context)
  notices.raise('warning', {
    key: kind?.kind === 'change' ? 'notice.changeRefused' : 'notice.generic',
  })
  await queryClient.invalidateQueries({ queryKey: queries.keyOf('appointment', context.appointmentId) })
}

/** A failed download raises no notice, because the final screen offers the receipt too. */
async function downloadReceipt({ services, appId, appNumber, appointmentId, language }: ActionContext) {
  const receipt = await loadReceipt(services, { appId, appointmentId, language, background: true })
  if (receipt) services.device.download(receipt, `${appNumber}.pdf`)
}

/** Cancels a new reservation. A change only returns to the booked appointment (S33). */
async function cancel(context: ActionContext) {
  const { services, navigate, requestKey, appId, appNumber } = context
  const hasLeft = services.navigation.watchLeaving()
  const { call, notices, queries, queryClient, session } = services
  // Does not use the query, which returns the cached list when there is no connection or no token. The cached list may be
  // from before this reservation was confirmed. Then the call below would cancel the appointment on another back end, which
  // ignores `onlyHold`.
  const listed = await call('listApplications', { query: { applicantId: session.signedInId() ?? '' } })
  // Nothing was sent yet, and the applicant may want to keep the place, or may have confirmed it since.
  if (hasLeft()) return
  if (!listed.ok) {
    if (isHandledByScreen(listed.problem)) notices.raise('warning', { key: 'notice.generic' })
    return
  }
  const kind = reservationKindOf(listed.value.data, appId)
  if (kind.kind === 'change') {
    // The guard of the next screen must not read the older list from the cache.
    await queryClient.invalidateQueries({ queryKey: queries.keyOf('applications'), refetchType: 'none' })
    if (kind.booked === undefined) return navigate({ to: '/procedure' })
    const params = { appId, appNumber, appointmentId: kind.booked }
    return navigate({ to: '/final/$appId/$appNumber/$appointmentId', params })
  }
  const request = { ...inputOf(context), body: { cancel: true, onlyHold: true } as const }
  const result = await call('updateAppointment', request, { key: requestKey.of(request) })
  if (!result.ok && !isHandledByScreen(result.problem)) return
  requestKey.forget()
  if (result.ok) notices.raise('success', { key: 'notice.appointmentCanceled' })
  else notices.raise('warning', { key: 'notice.changeRefused' })
  await invalidateChanged(context)
  await navigate({ to: '/procedure' })
}

/** Opens the booking, or for a change the screen that changes the booked appointment. */
async function goToTimes(context: ActionContext) {
  const { navigate, appId, appNumber } = context
  const kind = await readReservationKind(context)
  if (kind?.kind !== 'change' || kind.booked === undefined)
    return navigate({ to: '/appointment/$appId/$appNumber', params: { appId, appNumber } })
  const params = { appId, appNumber, appointmentId: kind.booked }
  return navigate({ to: '/appointment/$appId/$appNumber/$appointmentId', params })
}

/** Undefined when no applicant is signed in or the list of applications cannot be read. */
async function readReservationKind({ services, appId }: ActionContext): Promise<ReservationKind | undefined> {
  const { queries, queryClient, session } = services
  const applicantId = session.signedInId()
  if (applicantId === undefined) return undefined
  // Another tab may have confirmed the reservation a moment ago.
  const list = { ...queries.applications(applicantId), staleTime: 0 }
  // The portal raises the notice of a missing connection or answer, as for all calls.
  const applications = await queryClient.fetchQuery(list).catch(() => undefined)
  return applications && reservationKindOf(applications, appId)
}

async function invalidateChanged({ services: { queries, queryClient }, appId }: ActionContext) {
  await queryClient.invalidateQueries({ queryKey: queries.keyOf('applications') })
  await queryClient.invalidateQueries({ queryKey: queries.applicationData(appId).queryKey })
  await queryClient.invalidateQueries({ queryKey: queries.keyOf('appointment'), refetchType: 'none' })
}

function inputOf({ appointmentId, language }: ActionContext) {
  return { params: { id: appointmentId }, query: { lg: language } }
}
