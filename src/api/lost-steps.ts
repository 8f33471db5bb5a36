import type { AnswerOutput } from '#contract/endpoints.ts'
import { enrolledKeptDays } from '#contract/codes.ts'
import { destinationOf, hasLostStep, isOpen } from '#contract/states.ts'
import { createTurns } from '#device/create-turns.ts'
import type { Device } from '#device/device.ts'
import { type ResponseCache, readCachedAnswer } from './cached-call.ts'

type Listed = AnswerOutput<'listApplications'>['data'][number]
type Attempt = AnswerOutput<'listPaymentAttempts'>['data'][number]

/**
 * A payment or a booking that this device has seen, and that a server which was restored from a backup no longer knows (D62).
 * `id`: the id of the application. `orders`: the order numbers of the payments. Without `application`, the device knows only
 * these numbers.
 * `earlierAppointment`: the server has this appointment again, because the restore has undone what came after it: a change to
 * the appointment of `application`, or a cancellation when `application` has a state without a booking.
 */
export type LostStep = {
  id: string
  application?: Pick<Listed, 'applicationNumber' | 'currentState' | 'appointment'>
  earlierAppointment?: Listed['appointment']
  isPaymentLost: boolean
  orders: string[]
}

/** With `orThrow`: what cannot be read must not be replaced. */
type Cache = ResponseCache['orThrow']

/**
 * `isRestored`: the server has another epoch than it had at the list `before` (D62). `beforeTime`: the time of the server in
 * that list, undefined for an older server. `now`: milliseconds since 1970, by the server where its answer says it.
 */
type Lists = {
  before: readonly Listed[]
  after: readonly Listed[]
  isRestored: boolean
  beforeTime: string | undefined
  now: number
}

/**
 * What this device remembers of the lost steps of each applicant. What the storage does not take stays in the memory of this
 * page. All functions but `forget` throw when the storage fails.
 */
export type LostSteps = {
  read: (applicantId: string) => Promise<LostStep[]>
  /** Removes a lost step: the applicant has pressed the button of its panel. */
  forget: (applicantId: string, id: string) => Promise<void>
  /**
   * Compares the list that this device had with the server's new one. Keeps what was lost until the server knows it again, or
   * has another booking. Resolves to whether something has changed.
   */
  rememberSteps: (applicantId: string, lists: Lists) => Promise<boolean>
  /**
   * Remembers the payments that were open or paid when this device last saw them, and that the new answer lacks; none while
   * the known step says that the application is paid. Resolves to whether one was added.
   */
  rememberOrders: (
    applicantId: string,
    attempts: { id: string; before: readonly Attempt[]; after: readonly Attempt[] },
  ) => Promise<boolean>
}

const dayMs = 24 * 60 * 60 * 1_000

/** Names the applicant: an answer may arrive after the log-out, when the next applicant has already signed in. */
const cacheName = (applicantId: string) => `lost-steps ${applicantId}`

/** With locks, because the tabs of the browser share the cache. */
export function createLostSteps(cache: Cache, device: Pick<Device, 'withLock'>): LostSteps {
  const takeTurn = createTurns()
  /** The steps of each applicant that the storage has not taken. */
  const unsaved = new Map<string, LostStep[]>()

  /** The answers about the list and about its payments come at the same time: neither may replace what the other adds. */
  function inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    // `withLock` makes the tabs wait for each other, except in a browser without Web Locks. `takeTurn` works in each browser.
    return takeTurn(() => device.withLock('lost-steps', work))
  }

  async function read(applicantId: string): Promise<LostStep[]> {
    // Only this file writes it.
    const known =
      unsaved.get(applicantId) ?? ((await cache.read(cacheName(applicantId))) as LostStep[] | undefined)
    return known ?? []
  }

  /** Saves the changed steps, or those that the storage did not take before. Resolves to whether they have changed. */
  async function save(applicantId: string, changed?: LostStep[]): Promise<boolean> {
    const steps = changed ?? unsaved.get(applicantId)
    if (!steps) return false
    unsaved.set(applicantId, steps)
    await cache.write(cacheName(applicantId), steps)
    unsaved.delete(applicantId)
    return changed !== undefined
  }

  return {
    read,
    forget: (applicantId, id) =>
      inTurn(async () => {
        const steps = await read(applicantId)
        await save(
          applicantId,
          steps.filter(step => step.id !== id),
        )
      }).catch(() => undefined),
    rememberSteps: (applicantId, lists) =>
      inTurn(async () => {
        const known = await read(applicantId)
        return save(applicantId, await compareSteps(cache, known, lists))
      }),
    rememberOrders: (applicantId, { id, before, after }) =>
      inTurn(async () => {
        const lost = numbersOf(
          openOrPaid(before).filter(each => !after.some(attempt => attempt.id === each.id)),
        )
        const known = await read(applicantId)
        const step = known.find(each => each.id === id) ?? { id, isPaymentLost: true, orders: [] }
        const orders = [...new Set([...step.orders, ...lost])]
        if (!step.isPaymentLost || orders.length === step.orders.length) return save(applicantId)
        const others = known.filter(each => each !== step)
        return save(applicantId, [...others, { ...step, orders }])
      }),
  }
}

/** The lost steps after this answer; undefined when nothing has changed. */
async function compareSteps(
  cache: Cache,
  known: readonly LostStep[],
  lists: Lists,
): Promise<LostStep[] | undefined> {
  const { before, after } = lists
  const kept = known.filter(step => isStillLost(step, listedIn(after, step.id)))
  const found = before.filter(each => isLost(each, lists))
  const isNew = ({ id }: Listed) =>
    !kept.some(step => step.id === id && step.application && (step.isPaymentLost || !isUnpaid(after, id)))
  const added = found.filter(isNew)
  if (added.length === 0 && kept.length === known.length) return undefined
  const steps = (await Promise.all(added.map(each => lostStepOf(cache, each, lists)))).flat()
  const others = kept.filter(({ id }) => !steps.some(step => step.id === id))
  return [...others, ...steps.map(step => withKnown(step, known, lists))]
}

/** Adds to a new lost step what this device knows already. */
function withKnown(step: LostStep, known: readonly LostStep[], { before, after }: Lists): LostStep {
  const earlier = known.find(({ id }) => id === step.id)
  if (!earlier) return step
  // The answer about the payments may have come first, and this device no longer has the earlier one.
  const ordersBefore = isStillLost(earlier, listedIn(after, step.id)) ? earlier.orders : []
  const orders = [...new Set([...ordersBefore, ...step.orders])]
  // After a second restore the applicant knows the appointment from before the first restore, not the one between the two.
  const { application } = earlier
  const knowsNewest = application?.appointment && isStillLost(earlier, listedIn(before, step.id))
  return { ...step, orders, ...(knowsNewest && { application }) }
}

function listedIn(list: readonly Listed[], applicationId: string): Listed | undefined {
  return list.find(({ id }) => id === applicationId)
}

function isUnpaid(list: readonly Listed[], applicationId: string): boolean {
  const state = listedIn(list, applicationId)?.currentState
  return state === undefined || isOpen(state)
}

/**
 * Only a restore undoes a change or a cancellation. Without a restore, an answer that looks so was made before the change and
 * has come late.
 */
function isLost(known: Listed, { after, isRestored, beforeTime }: Lists): boolean {
  const listed = listedIn(after, known.id)
  if (hasLostStep(known.currentState, listed?.currentState)) return true
  const booked = bookedOf(listed)
  return (
    isRestored && (isChangeUndone(bookedOf(known), booked) || isCancellationUndone(known, booked, beforeTime))
  )
}

/**
 * Whether the server has a booking that was confirmed before `beforeTime`, although the server said at that time that nothing
 * is booked: a new booking after a cancellation is confirmed later. An older server does not say these times: then the booking
 * must have the time of the appointment that was cancelled because its day was closed. That is no proof: the office may have
 * opened the day again, and a booking of the same time in another office matches too.
 */
function isCancellationUndone(
  { currentState, lostToClosedDay }: Listed,
  listed: Appointment,
  beforeTime: string | undefined,
): boolean {
  if (!listed || destinationOf(currentState) !== 'appointment') return false
  // Times of the same clock in UTC sort as text.
  if (listed.confirmedAt && beforeTime) return listed.confirmedAt < beforeTime
  return Boolean(lostToClosedDay && lostToClosedDay.appointmentDate === listed.appointmentDate)
}

function isStillLost({ application, earlierAppointment }: LostStep, listed: Listed | undefined): boolean {
  const state = listed?.currentState
  if (!application) return state === undefined || isOpen(state)
  // With another id, the applicant or the office has booked again since. What a further restore undoes, `isLost` finds.
  if (earlierAppointment) return bookedOf(listed)?.id === earlierAppointment.id
  return hasLostStep(application.currentState, state)
}

type Appointment = Listed['appointment']

function bookedOf(listed: Listed | undefined): Appointment {
  return listed && destinationOf(listed.currentState) === 'final' ? listed.appointment : undefined
}

/**
 * Whether the server has a booking of another place or time that was confirmed before the known one. No event does that: a
 * change on another phone is always confirmed later, before a restore or after it. False where the server does not say when.
 */
function isChangeUndone(known: Appointment, listed: Appointment): boolean {
  // Times of the same clock in UTC sort as text.
  if (!known?.confirmedAt || !listed?.confirmedAt || known.confirmedAt <= listed.confirmedAt) return false
  return known.appointmentDate !== listed.appointmentDate || known.office?.fr !== listed.office?.fr
}

/** Empty when the server may have deleted or erased the application by its rules. */
async function lostStepOf(cache: Cache, known: Listed, { after, now }: Lists): Promise<LostStep[]> {
  const { id, applicationNumber, currentState, appointment } = known
  const listed = listedIn(after, id)
  const state = listed?.currentState
  const answer = await readCachedAnswer(cache, 'listPaymentAttempts', { params: { id } })
  const attempts = openOrPaid(answer?.data ?? [])
  if (state === undefined && mayBeErased(known, attempts, now)) return []
  const isPaymentLost = isUnpaid(after, id)
  const orders = isPaymentLost ? numbersOf(attempts) : []
  const application = { applicationNumber, currentState, appointment }
  return [{ id, application, earlierAppointment: bookedOf(listed), isPaymentLost, orders }]
}

/**
 * Whether the rules of the server may have deleted the application (D40) or, without an announcement, erased it (D113). The
 * last change that this device knows of is the appointment or, where that has no date, the last payment.
 */
function mayBeErased(
  { deletionDate, appointment }: Listed,
  attempts: readonly Attempt[],
  now: number,
): boolean {
  // False without a time.
  const isPast = (time: string | null | undefined, days: number) =>
    Date.parse(time ?? '') + days * dayMs <= now
  const lastChange = appointment?.appointmentDate ?? attempts[0]?.createdAt
  return isPast(deletionDate, 0) || isPast(lastChange, enrolledKeptDays)
}

function openOrPaid(attempts: readonly Attempt[]): Attempt[] {
  return attempts.filter(({ state }) => state === 'SUCCESS' || state === 'IN_PROGRESS')
}

const numbersOf = (attempts: readonly Attempt[]) => attempts.map(({ orderNumber }) => orderNumber)
