import type { AppointmentChange } from '#contract/appointment.ts'
import type { Language } from '#contract/codes.ts'
import { nextState, statesBefore } from '#contract/states.ts'
import type * as z from 'zod/mini'
import { retrying } from '#server/database/retrying.ts'
import { bookableSlots, bookingWindow, type Slot } from '#server/features/offices/calendar.ts'
import { findOffice, type FoundOffice } from '#server/features/offices/find-office.ts'
import { listFreeDays } from '#server/features/offices/free-slots.ts'
import { type Caller, type Refusal, refuse } from '#server/http/call.ts'
import type { Services } from '#server/services.ts'
import { appointmentWords } from '#server/words/appointment-words.ts'
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

async function reserveFor(services: Services, reservation: Reservation): Promise<Reserved | Refusal> {
  const { caller, language, place } = reservation
  const words = appointmentWords[language]
  const application = await findBookingApplication(services.db, caller, reservation.applicationId)
  if (application === undefined) return refuse('not-found')
  if (nextState(application.state, reservation.event) === undefined) return refuseState(reservation)
  const office = await findOffice(services.db, place.officeId)
  if (office === undefined)
    return refuse('invalid', { errors: [{ field: 'officeId', message: words.unknownOffice }] })
  const startsAt = place.appointmentDate ? withSeconds(place.appointmentDate) : null
  const wanted = { ...reservation, office, startsAt }
  if (isSame(application.hold, wanted)) return { kind: 'reserved', id: application.hold.id }
  if (startsAt === null) return reserveQueue(services, wanted)
  const { replaces } = reservation
  if (replaces?.officeId === office.id && replaces.startsAt === startsAt)
    return refuse('time-taken', { message: words.sameTime })
  const slot = findSlot(office, startsAt, services.clock.now())
  if (slot === undefined) return refuse('time-taken', { message: words.timeTaken })
  return take(services, wanted, slot.capacity)
}

type Wanted = Reservation & { office: FoundOffice; startsAt: string | null }

/** S09: the queue is for offices that have no date to offer. */
async function reserveQueue(services: Services, wanted: Wanted): Promise<Reserved | Refusal> {
  const { caller, office, language } = wanted
  const asking = { applicantId: caller.applicantId, now: services.clock.now() }
  const days = await listFreeDays(services.db, office, asking)
  if (days.length > 0) return refuse('time-needed', { message: appointmentWords[language].timeNeeded })
  return take(services, wanted, 0)
}

async function take(services: Services, wanted: Wanted, capacity: number): Promise<Reserved | Refusal> {
  const { db } = services
  const holding = holdingOf(services, wanted, capacity)
  const { startsAt } = wanted
  let held = await retrying(() => holdPlace(db, holding))
  if (startsAt !== null && held.kind === 'full' && held.seats < capacity) {
    await openSlot(db, { officeId: wanted.office.id, startsAt, capacity })
    held = await retrying(() => holdPlace(db, holding))
  }
  if (held.kind === 'held') return { kind: 'reserved', id: held.id }
  // Another tap of the same applicant may have what this one asks for.
  const application = await findBookingApplication(db, wanted.caller, wanted.applicationId)
  if (isSame(application?.hold, wanted)) return { kind: 'reserved', id: application.hold.id }
  if (held.kind === 'not-allowed') return refuseState(wanted)
  if (held.kind === 'full')
    return refuse('time-taken', { message: appointmentWords[wanted.language].timeTaken })
  // Two taps that want different times: the later one has its way.
  return take(services, wanted, capacity)
}

function holdingOf({ config }: Services, wanted: Wanted, capacity: number): Holding {
  const { holdSeconds, freedPlaceSeconds } = config
  return {
    applicationId: wanted.applicationId,
    applicantId: wanted.caller.applicantId,
    states: statesBefore(wanted.event),
    officeId: wanted.office.id,
    startsAt: wanted.startsAt,
    capacity,
    holdSeconds,
    freedPlaceSeconds,
    replaces: wanted.replaces?.id,
  }
}

function refuseState(reservation: Reservation): Refusal {
  return reservation.replaces === undefined ? refuse('wrong-state') : refuseChange(reservation)
}

function refuseChange({ language }: Pick<Asked, 'language'>): Refusal {
  return refuse('change-refused', { message: appointmentWords[language].changeRefused })
}

function isSame(
  hold: BookingApplication['hold'],
  { office, startsAt, replaces }: Wanted,
): hold is NonNullable<typeof hold> {
  return (
    hold !== undefined &&
    hold.officeId === office.id &&
    hold.startsAt === startsAt &&
    hold.replaces === (replaces?.id ?? null)
  )
}

function findSlot({ calendar }: FoundOffice, startsAt: string, now: Date): Slot | undefined {
  const [day = '', time = ''] = startsAt.split('T')
  return bookableSlots(calendar, day, bookingWindow(calendar, now)).find(slot => slot.time === time)
}

function withSeconds(dateTime: string): string {
  return dateTime.length === '2026-12-01T09:30'.length ? `${dateTime}:00` : dateTime
}
