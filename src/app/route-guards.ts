import { type HistoryState, redirect } from '@tanstack/react-router'
import { resumeStorageKey, handOverParameter } from '#contract/codes.ts'
import { toApplicationId, toAppointmentId } from '#contract/id-text.ts'
import type { ApplicationId, ApplicationNumber, AppointmentId } from '#contract/ids.ts'
import { destinationOf, type JourneyScreen, mayOpen } from '#contract/states.ts'
import { isLocal } from '#sync/local-id.ts'
import type { LoadedServices, Services } from './services.ts'

type Context = { services: Services }

type LoadedContext = { services: LoadedServices }

type MessageGroup = Parameters<Services['language']['loadMessages']>[0]

/** Guard of every screen after the sign-in: without a session, shows a notice and opens the welcome page (NAV03). */
export async function requireSession({
  context: { services },
  location,
  preload,
}: {
  context: Context
  location: { pathname: string; search: object }
  /** The router only preloads the screen; the applicant has not opened it. */
  preload: boolean
}): Promise<LoadedContext> {
  const rest = loadRest(services, 'rest')
  const state = await services.session.ready()
  if (state.kind === 'signed-in') {
    // A reload of an address whose aliases are not saved would open the list instead of this screen.
    await services.addresses.whenSaved()
    return rest
  }
  if (preload) throw redirect({ to: '/' })
  // After the sign-in the applicant continues with the form that the kiosk handed over (D38).
  if (handOverParameter in location.search) services.device.saveTabText(resumeStorageKey, location.pathname)
  services.notices.raise('warning', { key: 'notice.signIn' })
  throw redirect({ to: '/' })
}

/**
 * Moves a scanned code from the address into the history state of this tab, because the code names a person and the
 * browser's history shows addresses.
 */
export async function hideScannedCode({
  context: { services },
  location,
}: {
  context: Context
  location: { hash: string }
}): Promise<LoadedContext> {
  if (location.hash === '') return loadRest(services, 'verify')
  throw redirect({ to: '/verify', hash: '', replace: true, state: { scannedCode: location.hash } })
}

/** Loads the messages of the page of help, which needs no session. */
export async function loadHelpMessages({ context: { services } }: { context: Context }): Promise<void> {
  await services.language.loadMessages('help')
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The back end has changed the booked appointment itself, and the applicant still confirms the change (D67). */
    isChangedInPlace?: boolean
    /** The final page opens with the receipt. */
    showsReceipt?: boolean
    /** The fragment with which a camera app opened the page that verifies receipts. */
    scannedCode?: string
  }
}

/**
 * Loads more messages and the queries, which the sign-in pages do not need. The empty `catch` prevents an
 * unhandled rejection when the guard redirects before the load fails.
 */
function loadRest({ language, openQueries }: Services, group: MessageGroup): Promise<LoadedContext> {
  const rest = Promise.all([openQueries(), language.loadMessages(group)]).then(([services]) => ({ services }))
  rest.catch(() => undefined)
  return rest
}

type ApplicationParams = {
  appId: ApplicationId
  appNumber: ApplicationNumber
  appointmentId?: AppointmentId
}

/**
 * Returns the guard of a screen that needs an application in a certain state. In another state it redirects to the
 * screen that the application's card opens (S56), and so does the summary of an appointment that was replaced.
 */
export function requireState(screen: JourneyScreen) {
  return async ({
    context: { services },
    params,
    location,
  }: {
    context: LoadedContext
    params: ApplicationParams
    location: { pathname: string; state: HistoryState }
  }): Promise<void> => {
    const session = services.session.state()
    if (session.kind !== 'signed-in') return
    const { queryClient, queries, sync } = services
    const currentId = toApplicationId(await sync.resolveId(params.appId))
    if (isLocal(currentId)) {
      if (screen === 'form') return
      throw redirect({ to: '/procedure' })
    }
    const applications = await queryClient
      .fetchQuery(queries.applications(session.claims.applicantId))
      // Without an answer the screen shows the problem itself; a guard must not hide a form saved on this device.
      .catch(() => undefined)
    if (applications === undefined) return
    const application = applications.find(({ id }) => id === currentId)
    if (!application) throw redirect({ to: '/procedure' })
    // The address has the local id of a draft that the server has created since: open the same screen, and the same tab
    // of the form, under the server's id. Then this guard checks the state.
    if (currentId !== params.appId) throw redirect({ href: withServerId(location.pathname, application) })
    const currentAppointmentId = application.appointment?.id
    const isReplaced =
      screen === 'final' &&
      currentAppointmentId !== undefined &&
      currentAppointmentId !== params.appointmentId
    // After a booking the applicant may change the appointment, but not book or confirm it again.
    const isBookingScreen =
      (screen === 'appointment' && params.appointmentId === undefined) ||
      (screen === 'schedule' &&
        params.appointmentId === currentAppointmentId &&
        location.state.isChangedInPlace !== true)
    const isBooked = isBookingScreen && destinationOf(application.currentState) === 'final'
    if (mayOpen(screen, application.currentState) && !isReplaced && !isBooked) return
    throw redirectTo(application.currentState, params, currentAppointmentId)
  }
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
