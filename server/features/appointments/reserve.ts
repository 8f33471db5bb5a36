import type { AppointmentChange } from '#contract/appointment.ts'
import type { Language } from '#contract/codes.ts'
import { nextState, statesBefore } from '#contract/states.ts'
import type * as z from 'zod/mini'
import { retrying } from '#server/database/retrying.ts'
import { isUuid } from '#server/features/applications/own-application.ts'
import { bookableOpening, type Opening } from '#server/features/offices/calendar.ts'
import {
  findOffice,
  type FoundOffice,
  recallOffice,
  rememberOffice,
} from '#server/features/offices/find-office.ts'
import { listFreeDays } from '#server/features/offices/free-slots.ts'
import { type Caller, type Refusal, refuse } from '#server/http/call.ts'
import type { Services } from '#server/services.ts'
import { translateTo } from '#server/i18n/translate.ts'
import {
  type AppointmentRow,
  type BookingApplication,
  findAppointment,
  findBookingApplication,
  isHolding,
} from './appointment-rows.ts'
import { mayBeChanged } from './change-rule.ts'
import { type Holding, holdPlace } from './hold-place.ts'
import { openSlot } from './take-place.ts'

export type Asked = {
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
  { applicationId, ...asked }: Asked & { applicationId: string },
): Promise<Reserved | Refusal> {
  return reserveFor(services, { ...asked, applicationId, event: 'appointment-confirmed' })
}

/** Reserves another place for a booked appointment, which stays booked until the new one is confirmed. */
export async function reserveChange(
  services: Services,
  { appointmentId, ...asked }: Asked & { appointmentId: string },
): Promise<Reserved | Refusal> {
  const appointment = await findAppointment(services.db, asked.caller, appointmentId)
  if (appointment === undefined) return refuse('not-found')
  const { applicationId } = appointment
  const { config, clock } = services
  if (appointment.state !== 'CONFIRMED') {
    const isFirst = isHolding(appointment) && appointment.replaces === null
    return isFirst
      ? reserveFor(services, { ...asked, applicationId, event: 'appointment-confirmed' })
      : refuseChange(asked)
  }
  if (!mayBeChanged(appointment, { changeLimit: config.changeLimit, now: clock.now() }))
    return refuseChange(asked)
  const replaces = appointment
  return reserveFor(services, { ...asked, applicationId, event: 'appointment-changed', replaces })
}

type Reservation = Asked & {
  applicationId: string
  /** What confirming it will be. */
  event: 'appointment-confirmed' | 'appointment-changed'
  replaces?: AppointmentRow
}

/**
 * What can be had is taken at once, by the calendar as it was when last read, which the taking checks; only whoever
 * does not get it costs the questions that tell why.
 */
async function reserveFor(services: Services, reservation: Reservation): Promise<Reserved | Refusal> {
  const { place } = reservation
  if (!isUuid(reservation.applicationId)) return refuse('not-found')
  const startsAt = place.appointmentDate ? withSeconds(place.appointmentDate) : null
  const known = recallOffice(services.db, place.officeId)
  const wanted = known && { ...reservation, office: known, startsAt }
  const opening = wanted && offeringOf(services, wanted)
  return opening ? take(services, wanted, opening) : reserveAnew(services, reservation, startsAt)
}

async function reserveAnew(
  services: Services,
  reservation: Reservation,
  startsAt: string | null,
): Promise<Reserved | Refusal> {
  const office = await findOffice(services.db, reservation.place.officeId)
  if (office === undefined) return refuseOffice(services, reservation)
  rememberOffice(services.db, office)
  const wanted = { ...reservation, office, startsAt }
  const opening = offeringOf(services, wanted)
  if (opening !== undefined) return take(services, wanted, opening)
  const settled = await settleByApplication(services, wanted)
  if (settled !== undefined) return settled
  if (startsAt === null) return reserveQueue(services, wanted)
  const text = isReplacedTime(wanted) ? 'appointment.sameTime' : 'appointment.timeTaken'
  return refuse('time-taken', { message: translateTo(wanted.language)(text) })
}

type Wanted = Reservation & { office: FoundOffice; startsAt: string | null }

/** S09: the queue is for offices that have no date to offer. */
async function reserveQueue(services: Services, wanted: Wanted): Promise<Reserved | Refusal> {
  const { caller, office, language } = wanted
  const asking = { applicantId: caller.applicantId, now: services.clock.now() }
  const days = await listFreeDays(services.db, office, asking)
  if (days.length > 0)
    return refuse('time-needed', { message: translateTo(language)('appointment.timeNeeded') })
  return take(services, wanted, undefined)
}

async function take(
  services: Services,
  wanted: Wanted,
  opening: Opening | undefined,
): Promise<Reserved | Refusal> {
  const { db } = services
  const { startsAt } = wanted
  const capacity = opening?.capacity ?? 0
  const holding = holdingOf(services, wanted, opening)
  let held = await retrying(() => holdPlace(db, holding))
  if (startsAt !== null && held.kind === 'full' && held.seats < capacity) {
    await openSlot(db, { officeId: wanted.office.id, startsAt, capacity })
    held = await retrying(() => holdPlace(db, holding))
  }
  if (held.kind === 'held') return { kind: 'reserved', id: held.id }
  if (held.kind === 'outdated') return reserveAnew(services, wanted, startsAt)
  // Another tap of the same applicant may have what this one asks for.
  const settled = await settleByApplication(services, wanted)
  if (settled !== undefined) return settled
  if (held.kind === 'not-allowed') return refuseState(wanted)
  if (held.kind === 'full')
    return refuse('time-taken', { message: translateTo(wanted.language)('appointment.timeTaken') })
  // Two taps that want different times: the later one has its way.
  return take(services, wanted, opening)
}

/** What the application itself says: it is nobody's, must not have a reservation, or has this one already. */
async function settleByApplication(
  { db }: Services,
  wanted: Reservation & { office?: FoundOffice | undefined; startsAt?: string | null },
): Promise<Reserved | Refusal | undefined> {
  const application = await findBookingApplication(db, wanted.caller, wanted.applicationId)
  if (application === undefined) return refuse('not-found')
  if (nextState(application.state, wanted.event) === undefined) return refuseState(wanted)
  return isSame(application.hold, wanted) ? { kind: 'reserved', id: application.hold.id } : undefined
}

async function refuseOffice(services: Services, reservation: Reservation): Promise<Reserved | Refusal> {
  const message = translateTo(reservation.language)('appointment.unknownOffice')
  const settled = await settleByApplication(services, { ...reservation, office: undefined })
  return settled ?? refuse('invalid', { errors: [{ field: 'officeId', message }] })
}

function holdingOf({ config }: Services, wanted: Wanted, opening: Opening | undefined): Holding {
  const { holdSeconds, freedPlaceSeconds } = config
  return {
    applicationId: wanted.applicationId,
    applicantId: wanted.caller.applicantId,
    states: statesBefore(wanted.event),
    office: wanted.office,
    startsAt: wanted.startsAt,
    opening,
    holdSeconds,
    freedPlaceSeconds,
    replaces: wanted.replaces?.id,
  }
}

function refuseState(reservation: Reservation): Refusal {
  return reservation.replaces === undefined ? refuse('wrong-state') : refuseChange(reservation)
}

function refuseChange({ language }: Pick<Asked, 'language'>): Refusal {
  return refuse('change-refused', { message: translateTo(language)('appointment.changeRefused') })
}

function isSame(
  hold: BookingApplication['hold'],
  { office, startsAt, replaces }: { [Key in keyof Wanted]?: Wanted[Key] | undefined },
): hold is NonNullable<typeof hold> {
  return (
    hold !== undefined &&
    hold.officeId === office?.id &&
    hold.startsAt === startsAt &&
    hold.replaces === (replaces?.id ?? null)
  )
}

function isReplacedTime({ replaces, office, startsAt }: Wanted): boolean {
  return replaces?.officeId === office.id && replaces.startsAt === startsAt
}

/** What offers the time now, if it is not the one that is to be given up for it. */
function offeringOf({ clock }: Services, wanted: Wanted): Opening | undefined {
  const { office, startsAt } = wanted
  if (startsAt === null || isReplacedTime(wanted)) return undefined
  return bookableOpening(office.calendar, startsAt, clock.now())
}

function withSeconds(dateTime: string): string {
  return dateTime.length === '2026-12-01T09:30'.length ? `${dateTime}:00` : dateTime
}
