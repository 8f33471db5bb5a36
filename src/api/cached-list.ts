import type { AnswerOutput } from '#contract/endpoints.ts'
import type { ApplicationId, AppointmentId } from '#contract/ids.ts'
import { isApplicationState, nextState } from '#contract/states.ts'
import { type ResponseCache, cacheKey } from './cached-call.ts'

type List = AnswerOutput<'listApplications'>
export type CreatedApplication = Pick<List['data'][number], 'id' | 'applicationNumber'>

/**
 * Adds an application that the server has just created to the cached list, so that the list and the form are there also
 * when the connection is lost before the next answer. Without a cached list nothing changes.
 */
export async function addToCachedList(
  cache: Pick<ResponseCache, 'read' | 'write'>,
  applicantId: string,
  created: CreatedApplication,
): Promise<void> {
  const key = cacheKey('listApplications', { query: { applicantId } })
  const cached = await cache.read(key)
  if (cached === undefined) return
  // This device has cached an answer that the contract had decoded; each later read decodes it again.
  const list = cached as List
  const others = list.data.filter(({ id }) => id !== created.id)
  const data = [...others, { ...created, currentState: 'NEW', appointment: null }]
  await cache.write(key, { ...list, data }, list.time)
}

export type BookedAppointment = {
  appId: ApplicationId
  id: AppointmentId
  /** Local time of the office; null in the general queue. */
  appointmentDate: string | null | undefined
}

/**
 * Writes an appointment that the server has just confirmed to the cached list. When the connection is lost before the next
 * answer, the guard of the final page reads this list: without the appointment it would open the one before it, or the booking.
 */
export async function bookInCachedList(
  cache: Pick<ResponseCache, 'read' | 'write'>,
  applicantId: string,
  { appId, ...appointment }: BookedAppointment,
): Promise<void> {
  const key = cacheKey('listApplications', { query: { applicantId } })
  const cached = await cache.read(key)
  if (cached === undefined) return
  const list = cached as List // as in `addToCachedList`
  const data = list.data.map(listed => {
    if (listed.id !== appId || listed.appointment?.id === appointment.id) return listed
    const currentState = stateOnceBooked(listed.currentState)
    // A booking withdraws an announced deletion (D40).
    return { ...listed, currentState, appointment, lostToClosedDay: null, deletionDate: null }
  })
  await cache.write(key, { ...list, data }, list.time)
}

function stateOnceBooked(state: string): string {
  if (!isApplicationState(state)) return state
  return nextState(state, 'appointment-confirmed') ?? nextState(state, 'appointment-changed') ?? state
}
