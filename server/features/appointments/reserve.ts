import type { AppointmentChange } from '#contract/appointment.ts'
import type { Language } from '#contract/codes.ts'
import { nextState, statesBefore } from '#contract/states.ts'
import type * as z from 'zod/mini'
import { isUuid } from '#server/features/applications/own-application.ts'
import { bookableOpening, type Opening } from '#server/features/offices/calendar.ts'
import {
  findOffice,
  type FoundOffice,
  readCachedOffice,
  cacheOffice,
} from '#server/features/offices/find-office.ts'
import { listFreeDays } from '#server/features/offices/free-slots.ts'
import { type Caller, type LikelyRefusal, type Refusal, refuse } from '#server/calls/call.ts'
import type { Services, TransactionServices } from '#server/calls/services.ts'
import { translateTo } from '#server/i18n/translate.ts'
import { type AppointmentRow, findAppointment, findBookingApplication } from './appointment-rows.ts'
import { isLiveHold, isReplacedTime, isSameHold } from './hold-rule.ts'
import { mayChange } from './change-rule.ts'
import { forgetFull, isRememberedAsFull, rememberFull } from './full-slots.ts'
import { fullSlotQuery, type HoldRequest, holdPlace } from './hold-place.ts'
import { createPlaces } from './slot-places.ts'

export type ReserveRequest = {
  caller: Caller
  language: Language
  /** Without a date: the general queue. */
  selection: Pick<z.output<typeof AppointmentChange>, 'officeId' | 'appointmentDate'>
}
/** `isNew`: this call has made the reservation. */
export type Reserved = { kind: 'reserved'; id: string; isNew: boolean }

/**
 * Reserves a place in a slot, or makes a hold without a time for the general queue, for a paid application without an
 * appointment (APT17). An application has at most one reservation: another time replaces it, the same time again
 * returns the existing one.
 */
export async function reserve(
  services: TransactionServices,
  { applicationId, ...request }: ReserveRequest & { applicationId: string },
): Promise<Reserved | Refusal> {
  return reservePlace(services, { ...request, applicationId, event: 'appointment-confirmed' })
}

/**
 * Reserves another place for a booked appointment, which stays booked until the new one is confirmed. Replaces an
 * appointment that is only a first reservation, not confirmed yet, as `reserve` does.
 */
export async function reserveChange(
  services: TransactionServices,
  { appointmentId, ...request }: ReserveRequest & { appointmentId: string },
): Promise<Reserved | Refusal> {
  const appointment = await findAppointment(services.db, request.caller, appointmentId)
  if (appointment === undefined) return refuse('not-found')
  const { applicationId } = appointment
  const { config, clock } = services
  if (appointment.state !== 'CONFIRMED') {
    const isFirst = isLiveHold(appointment) && appointment.replaces === null
    return isFirst
      ? reservePlace(services, { ...request, applicationId, event: 'appointment-confirmed' })
      : refuseChange(request)
  }
  if (!mayChange(appointment, { changeLimit: config.changeLimit, now: clock.now() }))
    return refuseChange(request)
  return reservePlace(services, {
    ...request,
    applicationId,
    event: 'appointment-changed',
    replaces: appointment,
  })
}

/**
 * Returns the refusal of a first reservation that wants a slot which this process remembers as full (D118). `proof` is
 * a query of the tables that must confirm the refusal, so the memory by itself refuses nothing.
 */
export function likelyFull(
  services: Services,
  { applicationId, ...request }: ReserveRequest & { applicationId: string },
): LikelyRefusal | undefined {
  const { officeId, appointmentDate } = request.selection
  const office = readCachedOffice(services, officeId)
  if (office === undefined || !appointmentDate || !isUuid(applicationId)) return undefined
  const startsAt = withSeconds(appointmentDate)
  if (!isRememberedAsFull(services, { officeId: office.id, startsAt })) return undefined
  const event = 'appointment-confirmed'
  const target: BookingTarget = { ...request, applicationId, event, startsAt, office }
  const opening = openingOf(services, target)
  if (opening === undefined) return undefined
  const proof = fullSlotQuery(holdRequestOf(services, target, opening))
  return { refusal: refuseTakenTime(request), proof }
}

type BookingRequest = ReserveRequest & {
  applicationId: string
  /** The event of the application when this reservation is confirmed. */
  event: 'appointment-confirmed' | 'appointment-changed'
  replaces?: AppointmentRow
}

type TimedRequest = BookingRequest & { startsAt: string | null }
type BookingTarget = TimedRequest & { office: FoundOffice }

/** `outdated`: the office has changed since it was read. */
type Attempt = Reserved | Refusal | { kind: 'outdated' }

/** A further attempt follows only when the office has changed since it was read. */
const maxAttempts = 5

/**
 * For a time, tries first with the cached office, if there is one; the statement compares that office with the tables.
 * So most first reservations are one statement: further queries create the places of a new slot or find the reason of a
 * failure. Refuses as `unavailable` after `maxAttempts`: that answer is not stored under the idempotency key, so the
 * client can retry.
 */
async function reservePlace(
  services: TransactionServices,
  reservation: BookingRequest,
): Promise<Reserved | Refusal> {
  const { applicationId, selection } = reservation
  if (!isUuid(applicationId)) return refuse('not-found')
  const startsAt = selection.appointmentDate ? withSeconds(selection.appointmentDate) : null
  let office = readCachedOffice(services, selection.officeId)
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const outcome = await tryReservation(services, { ...reservation, startsAt }, office)
    if ('refused' in outcome || outcome.kind === 'reserved') return outcome
    office = undefined
  }
  services.logger.warn(
    { attempts: maxAttempts },
    'A reservation was refused: the office had changed at every attempt',
  )
  return refuse('unavailable')
}

function tryReservation(
  services: TransactionServices,
  request: TimedRequest,
  office: FoundOffice | undefined,
): Promise<Attempt> {
  const target = office && { ...request, office }
  const opening = target && openingOf(services, target)
  return opening ? holdTarget(services, target, opening) : tryWithFreshOffice(services, request)
}

async function tryWithFreshOffice(services: TransactionServices, request: TimedRequest): Promise<Attempt> {
  const office = await findOffice(services.db, request.selection.officeId)
  if (office === undefined) return refuseOffice(services, request)
  cacheOffice(services, office)
  const target = { ...request, office }
  const opening = openingOf(services, target)
  if (opening !== undefined) return holdTarget(services, target, opening)
  const decided = await decideByApplication(services, target)
  if (decided !== undefined) return decided
  if (target.startsAt === null) return reserveInGeneralQueue(services, target)
  const text = isReplacedTime(target) ? 'appointment.sameTime' : 'appointment.timeTaken'
  return refuse('time-taken', { message: translateTo(target.language)(text) })
}

/** Refuses when the office has a free date: the general queue is for offices without one (S09). */
async function reserveInGeneralQueue(services: TransactionServices, target: BookingTarget): Promise<Attempt> {
  const { caller, applicationId, office, language } = target
  const viewer = { applicantId: caller.applicantId, applicationId, now: services.clock.now() }
  const days = await listFreeDays(services.db, office, viewer)
  if (days.length > 0)
    return refuse('time-needed', { message: translateTo(language)('appointment.timeNeeded') })
  return holdTarget(services, target, undefined)
}

async function holdTarget(
  services: TransactionServices,
  target: BookingTarget,
  opening: Opening | undefined,
): Promise<Attempt> {
  const { db } = services
  const { startsAt } = target
  const capacity = opening?.capacity ?? 0
  const request = holdRequestOf(services, target, opening)
  let result = await holdPlace(db, request)
  if (startsAt !== null && result.kind === 'full' && result.seats < capacity) {
    const early = await decideByApplication(services, target)
    if (early !== undefined) return early
    await createPlaces(db, { officeId: target.office.id, startsAt, capacity })
    result = await holdPlace(db, request)
  }
  const slot = startsAt === null ? undefined : { officeId: target.office.id, startsAt }
  if (slot && result.kind === 'full') rememberFull(services, slot)
  if (slot && result.kind === 'held') forgetFull(services, slot)
  if (result.kind === 'held') return { kind: 'reserved', id: result.id, isNew: true }
  if (result.kind === 'outdated') return { kind: 'outdated' }
  // An earlier tap may have made this reservation for the same application.
  const decided = await decideByApplication(services, target)
  if (decided !== undefined) return decided
  return result.kind === 'not-allowed' ? refuseState(target) : refuseTakenTime(target)
}

/**
 * Decides by the application and its hold alone: not found, wrong state, or this reservation exists already. Undefined
 * when they allow the reservation.
 */
async function decideByApplication(
  { db }: TransactionServices,
  target: BookingRequest & { office?: FoundOffice | undefined; startsAt?: string | null },
): Promise<Reserved | Refusal | undefined> {
  const application = await findBookingApplication(db, target.caller, target.applicationId)
  if (application === undefined) return refuse('not-found')
  if (nextState(application.state, target.event) === undefined) return refuseState(target)
  return isSameHold(application.hold, target)
    ? { kind: 'reserved', id: application.hold.id, isNew: false }
    : undefined
}

/** Refuses an unknown office, unless the application is not found or its state allows no reservation: then for that reason. */
async function refuseOffice(
  services: TransactionServices,
  reservation: BookingRequest,
): Promise<Reserved | Refusal> {
  const message = translateTo(reservation.language)('appointment.unknownOffice')
  const decided = await decideByApplication(services, { ...reservation, office: undefined })
  return decided ?? refuse('invalid', { errors: [{ field: 'officeId', message }] })
}

function holdRequestOf(
  { config }: Pick<Services, 'config'>,
  target: BookingTarget,
  opening: Opening | undefined,
): HoldRequest {
  const { holdSeconds, freedPlaceSeconds, changeLimit } = config
  return {
    applicationId: target.applicationId,
    applicantId: target.caller.applicantId,
    states: statesBefore(target.event),
    office: target.office,
    startsAt: target.startsAt,
    opening,
    holdSeconds,
    freedPlaceSeconds,
    replaces: target.replaces?.id,
    changeLimit,
  }
}

function refuseTakenTime({ language }: Pick<ReserveRequest, 'language'>): Refusal {
  return refuse('time-taken', { message: translateTo(language)('appointment.timeTaken') })
}

function refuseState(reservation: BookingRequest): Refusal {
  return reservation.replaces === undefined ? refuse('wrong-state') : refuseChange(reservation)
}

function refuseChange({ language }: Pick<ReserveRequest, 'language'>): Refusal {
  return refuse('change-refused', { message: translateTo(language)('appointment.changeRefused') })
}

/**
 * Undefined without a time, when no opening offers the time now, or when a change wants the time that it would replace.
 */
function openingOf({ clock }: Pick<Services, 'clock'>, target: BookingTarget): Opening | undefined {
  const { office, startsAt } = target
  if (startsAt === null || isReplacedTime(target)) return undefined
  return bookableOpening(office.calendar, startsAt, clock.now())
}

function withSeconds(dateTime: string): string {
  return dateTime.length === '2026-12-01T09:30'.length ? `${dateTime}:00` : dateTime
}
