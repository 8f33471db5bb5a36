import type { AppointmentChange } from '#contract/appointment.ts'
import type { Language } from '#contract/codes.ts'
import { nextState, statesBefore } from '#contract/states.ts'
import type * as z from 'zod/mini'
import { retryOnConflict } from '#server/database/retry.ts'
import { isUuid } from '#server/features/applications/own-application.ts'
import { bookableOpening, type Opening } from '#server/features/offices/calendar.ts'
import {
  findOffice,
  type FoundOffice,
  readCachedOffice,
  cacheOffice,
} from '#server/features/offices/find-office.ts'
import { listFreeDays } from '#server/features/offices/free-slots.ts'
import { type Caller, type Refusal, refuse } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'
import { translateTo } from '#server/i18n/translate.ts'
import {
  type AppointmentRow,
  type BookingApplication,
  findAppointment,
  findBookingApplication,
  isLiveHold,
} from './appointment-rows.ts'
import { mayChange } from './change-rule.ts'
import { type HoldRequest, holdPlace } from './hold-place.ts'
import { createPlaces } from './slot-places.ts'

export type ReserveRequest = {
  caller: Caller
  language: Language
  place: Pick<z.output<typeof AppointmentChange>, 'officeId' | 'appointmentDate'>
}
export type Reserved = { kind: 'reserved'; id: string }

/**
 * Reserves a place, or one in the general queue, for an application that is paid and has no appointment (APT17). An
 * application has one reservation: a further one takes its place, the same one again is the same one.
 */
export async function reserve(
  services: Services,
  { applicationId, ...asked }: ReserveRequest & { applicationId: string },
): Promise<Reserved | Refusal> {
  return reserveWithCachedOffice(services, { ...asked, applicationId, event: 'appointment-confirmed' })
}

/** Reserves another place for a booked appointment, which stays booked until the new one is confirmed. */
export async function reserveChange(
  services: Services,
  { appointmentId, ...asked }: ReserveRequest & { appointmentId: string },
): Promise<Reserved | Refusal> {
  const appointment = await findAppointment(services.db, asked.caller, appointmentId)
  if (appointment === undefined) return refuse('not-found')
  const { applicationId } = appointment
  const { config, clock } = services
  if (appointment.state !== 'CONFIRMED') {
    const isFirst = isLiveHold(appointment) && appointment.replaces === null
    return isFirst
      ? reserveWithCachedOffice(services, { ...asked, applicationId, event: 'appointment-confirmed' })
      : refuseChange(asked)
  }
  if (!mayChange(appointment, { changeLimit: config.changeLimit, now: clock.now() }))
    return refuseChange(asked)
  const replaces = appointment
  return reserveWithCachedOffice(services, {
    ...asked,
    applicationId,
    event: 'appointment-changed',
    replaces,
  })
}

type BookingRequest = ReserveRequest & {
  applicationId: string
  /** What confirming it will be. */
  event: 'appointment-confirmed' | 'appointment-changed'
  replaces?: AppointmentRow
}

/**
 * What can be had is taken at once, by the calendar as it was when last read, which the taking checks; only whoever
 * does not get it costs the questions that tell why.
 */
async function reserveWithCachedOffice(
  services: Services,
  reservation: BookingRequest,
): Promise<Reserved | Refusal> {
  const { place } = reservation
  if (!isUuid(reservation.applicationId)) return refuse('not-found')
  const startsAt = place.appointmentDate ? withSeconds(place.appointmentDate) : null
  const known = readCachedOffice(services.db, place.officeId)
  const target = known && { ...reservation, office: known, startsAt }
  const opening = target && openingOf(services, target)
  return opening
    ? holdTarget(services, target, opening)
    : reserveWithFreshOffice(services, reservation, startsAt)
}

async function reserveWithFreshOffice(
  services: Services,
  reservation: BookingRequest,
  startsAt: string | null,
): Promise<Reserved | Refusal> {
  const office = await findOffice(services.db, reservation.place.officeId)
  if (office === undefined) return refuseOffice(services, reservation)
  cacheOffice(services.db, office)
  const target = { ...reservation, office, startsAt }
  const opening = openingOf(services, target)
  if (opening !== undefined) return holdTarget(services, target, opening)
  const decided = await decideByApplication(services, target)
  if (decided !== undefined) return decided
  if (startsAt === null) return reserveInGeneralQueue(services, target)
  const text = isReplacedTime(target) ? 'appointment.sameTime' : 'appointment.timeTaken'
  return refuse('time-taken', { message: translateTo(target.language)(text) })
}

type BookingTarget = BookingRequest & { office: FoundOffice; startsAt: string | null }

/** S09: the queue is for offices that have no date to offer. */
async function reserveInGeneralQueue(services: Services, target: BookingTarget): Promise<Reserved | Refusal> {
  const { caller, office, language } = target
  const asking = { applicantId: caller.applicantId, now: services.clock.now() }
  const days = await listFreeDays(services.db, office, asking)
  if (days.length > 0)
    return refuse('time-needed', { message: translateTo(language)('appointment.timeNeeded') })
  return holdTarget(services, target, undefined)
}

async function holdTarget(
  services: Services,
  target: BookingTarget,
  opening: Opening | undefined,
): Promise<Reserved | Refusal> {
  const { db } = services
  const { startsAt } = target
  const capacity = opening?.capacity ?? 0
  const request = holdRequestOf(services, target, opening)
  let result = await retryOnConflict(() => holdPlace(db, request))
  if (startsAt !== null && result.kind === 'full' && result.seats < capacity) {
    await createPlaces(db, { officeId: target.office.id, startsAt, capacity })
    result = await retryOnConflict(() => holdPlace(db, request))
  }
  if (result.kind === 'held') return { kind: 'reserved', id: result.id }
  if (result.kind === 'outdated') return reserveWithFreshOffice(services, target, startsAt)
  // Another tap of the same applicant may have what this one asks for.
  const decided = await decideByApplication(services, target)
  if (decided !== undefined) return decided
  if (result.kind === 'not-allowed') return refuseState(target)
  if (result.kind === 'full')
    return refuse('time-taken', { message: translateTo(target.language)('appointment.timeTaken') })
  // Two taps that want different times: the later one has its way.
  return holdTarget(services, target, opening)
}

/** What the application itself says: it is nobody's, must not have a reservation, or has this one already. */
async function decideByApplication(
  { db }: Services,
  target: BookingRequest & { office?: FoundOffice | undefined; startsAt?: string | null },
): Promise<Reserved | Refusal | undefined> {
  const application = await findBookingApplication(db, target.caller, target.applicationId)
  if (application === undefined) return refuse('not-found')
  if (nextState(application.state, target.event) === undefined) return refuseState(target)
  return isSameHold(application.hold, target) ? { kind: 'reserved', id: application.hold.id } : undefined
}

async function refuseOffice(services: Services, reservation: BookingRequest): Promise<Reserved | Refusal> {
  const message = translateTo(reservation.language)('appointment.unknownOffice')
  const decided = await decideByApplication(services, { ...reservation, office: undefined })
  return decided ?? refuse('invalid', { errors: [{ field: 'officeId', message }] })
}

function holdRequestOf(
  { config }: Services,
  target: BookingTarget,
  opening: Opening | undefined,
): HoldRequest {
  const { holdSeconds, freedPlaceSeconds } = config
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
  }
}

function refuseState(reservation: BookingRequest): Refusal {
  return reservation.replaces === undefined ? refuse('wrong-state') : refuseChange(reservation)
}

function refuseChange({ language }: Pick<ReserveRequest, 'language'>): Refusal {
  return refuse('change-refused', { message: translateTo(language)('appointment.changeRefused') })
}

function isSameHold(
  hold: BookingApplication['hold'],
  { office, startsAt, replaces }: { [Key in keyof BookingTarget]?: BookingTarget[Key] | undefined },
): hold is NonNullable<typeof hold> {
  return (
    hold !== undefined &&
    hold.officeId === office?.id &&
    hold.startsAt === startsAt &&
    hold.replaces === (replaces?.id ?? null)
  )
}

function isReplacedTime({ replaces, office, startsAt }: BookingTarget): boolean {
  return replaces?.officeId === office.id && replaces.startsAt === startsAt
}

/** What offers the time now, if it is not the one that is to be given up for it. */
function openingOf({ clock }: Services, target: BookingTarget): Opening | undefined {
  const { office, startsAt } = target
  if (startsAt === null || isReplacedTime(target)) return undefined
  return bookableOpening(office.calendar, startsAt, clock.now())
}

function withSeconds(dateTime: string): string {
  return dateTime.length === '2026-12-01T09:30'.length ? `${dateTime}:00` : dateTime
}
