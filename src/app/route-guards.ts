import { redirect } from '@tanstack/react-router'
import { resumeStorageKey, handOverParameter } from '#contract/codes.ts'
import { toApplicationId, toAppointmentId } from '#contract/id-text.ts'
import type { ApplicationId, ApplicationNumber, AppointmentId } from '#contract/ids.ts'
import { destinationOf, type JourneyScreen, mayOpen } from '#contract/states.ts'
import { isLocal } from '#sync/local-id.ts'
import type { Services } from './services.ts'

type Context = { services: Services }

/** Any screen but the sign-in pages: without a session, say so and go to the welcome page (NAV03). */
export async function requireSession({
  context: { services },
  location,
  preload,
}: {
  context: Context
  location: { pathname: string; search: object }
  /** The screen is only fetched ahead: nobody went there. */
  preload: boolean
}): Promise<void> {
  const rest = loadRest(services)
  const state = await services.session.ready()
  if (state.kind === 'signed-in') return rest
  if (preload) throw redirect({ to: '/' })
  // A form that a kiosk handed over is gone on with after signing in (D38).
  if (handOverParameter in location.search) services.device.saveTabText(resumeStorageKey, location.pathname)
  services.notices.raise('warning', { key: 'notice.signIn' })
  throw redirect({ to: '/' })
}

/**
 * A scanned code names a person: it goes out of the address, and so out of the browser's history, into what this tab
 * alone knows of the page.
 */
export async function hideScannedCode({
  context: { services },
  location,
}: {
  context: Context
  location: { hash: string }
}): Promise<void> {
  if (location.hash === '') return loadRest(services)
  throw redirect({ to: '/verify', hash: '', replace: true, state: { scannedCode: location.hash } })
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** What a camera opened the page with that checks receipts. */
    scannedCode?: string
  }
}

/** What the sign-in pages do without. Whoever is sent away meanwhile needs it not: then its failure is nobody's. */
function loadRest({ language, openQueries }: Services): Promise<void> {
  const rest = Promise.all([language.loadOtherMessages(), openQueries()]).then(() => undefined)
  rest.catch(() => undefined)
  return rest
}

type ApplicationParams = {
  appId: ApplicationId
  appNumber: ApplicationNumber
  appointmentId?: AppointmentId
}

/**
 * A screen that its application's state does not lead to sends the browser where the state's card goes (S56); so does
 * the summary of an appointment that another has replaced.
 */
export function requireState(screen: JourneyScreen) {
  return async ({
    context: { services },
    params,
  }: {
    context: Context
    params: ApplicationParams
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
      // Without an answer the screen itself says what is wrong; a guard must not hide a kept form.
      .catch(() => undefined)
    if (applications === undefined) return
    const application = applications.find(({ id }) => id === currentId)
    if (!application) throw redirect({ to: '/procedure' })
    // An address from before the application had its number.
    if (currentId !== params.appId) {
      const { currentState, applicationNumber, appointment } = application
      throw redirectTo(currentState, { appId: currentId, appNumber: applicationNumber }, appointment?.id)
    }
    const currentAppointmentId = application.appointment?.id
    const isReplaced =
      screen === 'final' &&
      currentAppointmentId !== undefined &&
      currentAppointmentId !== params.appointmentId
    // Whoever goes back from the summary has an appointment: it can be changed, not booked or confirmed once more.
    const isBookedOnce =
      (screen === 'appointment' && params.appointmentId === undefined) ||
      (screen === 'schedule' && params.appointmentId === currentAppointmentId)
    const isBooked = isBookedOnce && destinationOf(application.currentState) === 'final'
    if (mayOpen(screen, application.currentState) && !isReplaced && !isBooked) return
    throw redirectTo(application.currentState, params, currentAppointmentId)
  }
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
