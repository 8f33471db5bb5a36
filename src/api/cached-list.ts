import type { AnswerOutput } from '#contract/endpoints.ts'
import type { ApplicationId, AppointmentId } from '#contract/ids.ts'
import { type ApplicationEvent, destinationOf, isApplicationState, nextState } from '#contract/states.ts'
import { type ResponseCache, cacheKey } from './cached-call.ts'

type List = AnswerOutput<'listApplications'>
export type CreatedApplication = Pick<List['data'][number], 'id' | 'applicationNumber'>

type Listed = List['data'][number]
type Cache = Pick<ResponseCache, 'read' | 'write'>

/**
 * Adds an application that the server has just created to the cached list, so that the list and the form are there also
 * when the connection is lost before the next answer. Without a cached list nothing changes.
 */
export function addToCachedList(
  cache: Cache,
  applicantId: string,
  created: CreatedApplication,
): Promise<void> {
  return changeCachedList(cache, applicantId, applications => {
    const others = applications.filter(({ id }) => id !== created.id)
    return [...others, { ...created, currentState: 'NEW', appointment: null }]
  })
}

/**
 * Writes to the cached list that the server has taken the confirmed data of an application, or its payment. When the connection
 * is lost before the next answer, the guard of the next screen reads this list: with the earlier state it would open the form
 * or the payment again.
 */
export function advanceInCachedList(
  cache: Cache,
  applicantId: string,
  appId: ApplicationId,
  event: 'data-confirmed' | 'payment-succeeded',
): Promise<void> {
  return changeListed(cache, applicantId, appId, listed => advance(listed, event))
}

/** Returns the application after the event; as it is when its state does not allow the event. */
export function advance(listed: Listed, event: ApplicationEvent): Listed {
  const currentState = stateAfter(listed, event)
  if (currentState === undefined) return listed
  // A confirmation of the data does not change the day of the deletion. A paid application has another day, which the
  // next answer of the server may name (D40).
  return { ...listed, currentState, ...(event !== 'data-confirmed' && { deletionDate: null }) }
}

export type BookedAppointment = {
  appId: ApplicationId
  id: AppointmentId
  /** Local time of the office; null in the general queue; undefined when the page does not know it. */
  appointmentDate: string | null | undefined
}

/**
 * Writes an appointment that the server has just confirmed to the cached list. When the connection is lost before the next
 * answer, the guard of the final page reads this list. Without the new appointment, the guard would open the earlier
 * appointment or the booking.
 */
export function bookInCachedList(
  cache: Cache,
  applicantId: string,
  { appId, ...appointment }: BookedAppointment,
): Promise<void> {
  return changeListed(cache, applicantId, appId, listed => {
    // The same id is not enough: another back end may list a reservation as the appointment before it is confirmed.
    if (listed.appointment?.id === appointment.id && destinationOf(listed.currentState) === 'final')
      return listed
    const currentState =
      stateAfter(listed, 'appointment-confirmed') ??
      stateAfter(listed, 'appointment-changed') ??
      listed.currentState
    // The next answer of the server says whether the booking has changed the day of the deletion (D40).
    return { ...listed, currentState, appointment, lostToClosedDay: null, deletionDate: null }
  })
}

function stateAfter({ currentState }: Listed, event: ApplicationEvent): string | undefined {
  return isApplicationState(currentState) ? nextState(currentState, event) : undefined
}

function changeListed(
  cache: Cache,
  applicantId: string,
  appId: ApplicationId,
  change: (listed: Listed) => Listed,
): Promise<void> {
  return changeCachedList(cache, applicantId, applications =>
    applications.map(listed => (listed.id === appId ? change(listed) : listed)),
  )
}

async function changeCachedList(
  cache: Cache,
  applicantId: string,
  change: (applications: Listed[]) => Listed[],
): Promise<void> {
  const key = cacheKey('listApplications', { query: { applicantId } })
  const cached = await cache.read(key)
  if (cached === undefined) return
  // The answer was decoded before this device cached it. A read for a screen decodes it once more.
  const list = cached as List
  await cache.write(key, { ...list, data: change(list.data) }, list.time)
}
