import { type HistoryState, redirect } from '@tanstack/react-router'
import { toApplicationId, toAppointmentId } from '#contract/id-text.ts'
import type { ApplicationId, ApplicationNumber, ApplicationParams, AppointmentId } from '#contract/ids.ts'
import { destinationOf, isReplaced, type JourneyScreen, mayOpen } from '#contract/states.ts'
import { isLocal } from '#sync/local-id.ts'
import type { LoadedServices } from './services.ts'

export type GuardedVisit = {
  context: { services: LoadedServices }
  params: ApplicationParams & { appointmentId?: AppointmentId }
  location: { pathname: string; state: HistoryState }
  /** `stay`: the same screen, for example with another tab of the form. */
  cause: 'preload' | 'enter' | 'stay'
}

/**
 * Redirects to the destination of the application's state (S56) when the state does not allow this screen, from the
 * summary of a replaced appointment, and from a screen that would book again. Redirects to the list when the applicant
 * has no such application.
 */
export async function checkState(
  screen: JourneyScreen,
  { context: { services }, params, location, cause }: GuardedVisit,
): Promise<void> {
  const session = services.session.state()
  if (session.kind !== 'signed-in') return
  const { queryClient, queries, sync } = services
  const currentId = toApplicationId(await sync.resolveId(params.appId))
  if (isLocal(currentId)) {
    if (screen === 'form') return
    throw redirect({ to: '/procedure' })
  }
  const list = queries.applications(session.claims.applicantId)
  const known = queryClient.getQueryData(list.queryKey)
  // Another tab of the form opens at once: the guard has read the list, or failed to, when the form was opened, and
  // reads it again for the next guard. Two cases wait: the list lacks the application, or there is no list and the
  // server has replaced the local id in the address.
  const isKnown = known ? known.some(({ id }) => id === currentId) : currentId === params.appId
  const isOpenForm = screen === 'form' && cause === 'stay' && isKnown
  // When the list cannot be read, the screen opens and shows the problem: a guard must not hide a form that this device
  // has saved.
  const readList = (options: { staleTime?: number } = {}) =>
    queryClient.fetchQuery({ ...list, ...options }).catch(() => undefined)
  const reading = readList()
  let applications = isOpenForm ? known : await reading
  // The server has created the application of the local id: a list without it is older.
  if (currentId !== params.appId && applications?.every(({ id }) => id !== currentId))
    applications = await readList({ staleTime: 0 })
  if (applications === undefined) {
    // Of the screens only the form knows an application by its local id.
    if (screen !== 'form' && currentId !== params.appId) throw redirect({ to: '/procedure' })
    return
  }
  const application = applications.find(({ id }) => id === currentId)
  if (!application) throw redirect({ to: '/procedure' })
  // The address has the local id of a draft that the server has created since: open the same screen, and the same tab
  // of the form, under the server's id. Then this guard checks the state.
  if (currentId !== params.appId) throw redirect({ href: withServerId(location.pathname, application) })
  const currentAppointmentId = application.appointment?.id
  const isOld = screen === 'final' && isReplaced(params.appointmentId, application)
  // After a booking the applicant may change the appointment, but not book or confirm it again.
  const isBookingScreen =
    (screen === 'appointment' && params.appointmentId === undefined) ||
    (screen === 'schedule' &&
      params.appointmentId === currentAppointmentId &&
      location.state.isChangedInPlace !== true)
  const isBooked = isBookingScreen && destinationOf(application.currentState) === 'final'
  if (mayOpen(screen, application.currentState) && !isOld && !isBooked) return
  throw redirectTo(application.currentState, params, currentAppointmentId)
}

/** `/form/<local id>/<placeholder>/<tab>` with the server's id and number. */
function withServerId(
  path: string,
  { id, applicationNumber }: { id: ApplicationId; applicationNumber: ApplicationNumber },
): string {
  const [, screen, , , ...rest] = path.split('/')
  return ['', screen, id, applicationNumber, ...rest].join('/')
}

function redirectTo(state: string, params: ApplicationParams, appointmentId: string | undefined) {
  switch (destinationOf(state)) {
    case 'form':
      return redirect({ to: '/form/$appId/$appNumber/GeneralData', params })
    case 'payment':
      return redirect({ to: '/payment/$appId/$appNumber', params })
    case 'appointment':
      return redirect({ to: '/appointment/$appId/$appNumber', params })
    case 'final':
      if (appointmentId === undefined) return redirect({ to: '/procedure' })
      return redirect({
        to: '/final/$appId/$appNumber/$appointmentId',
        params: { ...params, appointmentId: toAppointmentId(appointmentId) },
      })
    case 'none':
      return redirect({ to: '/procedure' })
  }
}
