import { randomUUID } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import type { AppointmentChange } from '#contract/appointment.ts'
import type { Language } from '#contract/codes.ts'
import { nextState } from '#contract/states.ts'
import type * as z from 'zod/mini'
import { retrying } from '#server/database/retrying.ts'
import type { Schema } from '#server/database/schema.ts'
import { bookableSlots, bookingWindow, type Slot } from '#server/features/offices/calendar.ts'
import { findOffice, type FoundOffice } from '#server/features/offices/find-office.ts'
import { listFreeDays } from '#server/features/offices/free-slots.ts'
import { type Caller, type Refusal, refuse } from '#server/http/call.ts'
import type { Services } from '#server/services.ts'
import { appointmentWords } from '#server/words/appointment-words.ts'
import {
  type AppointmentRow,
  endHold,
  expireHold,
  findAppointment,
  findHold,
  isHolding,
  type LockedApplication,
  lockApplication,
} from './appointment-rows.ts'
import { mayBeChanged } from './change-rule.ts'
import { freePlace, openSlot, takePlace } from './take-place.ts'

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
  return inTransaction(services, async trx => {
    const application = await lockApplication(trx, asked.caller, applicationId)
    if (application === undefined) return refuse('not-found')
    if (nextState(application.state, 'appointment-confirmed') === undefined) return refuse('wrong-state')
    return reserveFor(trx, { ...asked, services, application, replaces: undefined })
  })
}

/** Reserves another place for a booked appointment, which stays booked until the new one is confirmed. */
export async function reserveChange(
  services: Services,
  { appointmentId, ...asked }: Asked & { appointmentId: string },
): Promise<Reserved | Refusal> {
  const refused = refuse('change-refused', { message: appointmentWords[asked.language].changeRefused })
  const known = await findAppointment(services.db, asked.caller, appointmentId)
  if (known === undefined) return refuse('not-found')
  return inTransaction(services, async trx => {
    const application = await lockApplication(trx, asked.caller, known.applicationId)
    const appointment = await findAppointment(trx, asked.caller, appointmentId)
    if (application === undefined || appointment === undefined) return refuse('not-found')
    const replaces = replacedBy(appointment, services)
    if (replaces === 'refused') return refused
    return reserveFor(trx, { ...asked, services, application, replaces })
  })
}

/** Which booked appointment the new reservation replaces: none when what is changed is itself a first reservation. */
function replacedBy(
  appointment: AppointmentRow,
  { config, clock }: Services,
): AppointmentRow | undefined | 'refused' {
  if (appointment.state === 'CONFIRMED') {
    const allowed = mayBeChanged(appointment, { changeLimit: config.changeLimit, now: clock.now() })
    return allowed ? appointment : 'refused'
  }
  const first = isHolding(appointment) && appointment.replaces === null
  return first && nextState(appointment.applicationState, 'appointment-confirmed') ? undefined : 'refused'
}

type Reservation = Asked & {
  services: Services
  application: LockedApplication
  replaces: AppointmentRow | undefined
}

async function reserveFor(trx: Transaction<Schema>, reservation: Reservation): Promise<Reserved | Refusal> {
  const { services, application, replaces, place, language } = reservation
  const words = appointmentWords[language]
  const office = await findOffice(trx, place.officeId)
  if (office === undefined)
    return refuse('invalid', { errors: [{ field: 'officeId', message: words.unknownOffice }] })
  const startsAt = place.appointmentDate ? withSeconds(place.appointmentDate) : null
  const hold = await findHold(trx, application.id)
  if (hold && isHolding(hold) && isSame(hold, { officeId: office.id, startsAt, replaces }))
    return { kind: 'reserved', id: hold.id }
  if (startsAt === null) return reserveQueue(trx, { ...reservation, office, hold })
  if (replaces?.officeId === office.id && replaces.startsAt === startsAt)
    return refuse('time-taken', { message: words.sameTime })
  const slot = findSlot(office, startsAt, services.clock.now())
  if (slot === undefined) return refuse('time-taken', { message: words.timeTaken })
  return reserveSlot(trx, { ...reservation, office, hold, startsAt, capacity: slot.capacity })
}

type Found = Reservation & { office: FoundOffice; hold: AppointmentRow | undefined }

/** S09: the queue is for offices that have no date to offer. */
async function reserveQueue(trx: Transaction<Schema>, found: Found): Promise<Reserved | Refusal> {
  const { services, caller, office, hold, language } = found
  const days = await listFreeDays(trx, office, { applicantId: caller.applicantId, now: services.clock.now() })
  if (days.length > 0) return refuse('time-needed', { message: appointmentWords[language].timeNeeded })
  if (hold && isHolding(hold)) await freePlace(trx, hold.id)
  if (hold !== undefined) await endHold(trx, hold)
  return insertHold(trx, { ...found, id: randomUUID(), startsAt: null })
}

async function reserveSlot(
  trx: Transaction<Schema>,
  found: Found & { startsAt: string; capacity: number },
): Promise<Reserved | Refusal> {
  const { services, office, hold, startsAt, capacity } = found
  const id = randomUUID()
  const taken = await takePlace(trx, {
    slotId: await openSlot(trx, { officeId: office.id, startsAt, capacity }),
    capacity,
    appointmentId: id,
    holdSeconds: services.config.holdSeconds,
    instead: hold && isHolding(hold) ? hold.id : undefined,
  })
  if (taken === undefined)
    return refuse('time-taken', { message: appointmentWords[found.language].timeTaken })
  // The own one first: two that take each other's places would else wait for each other.
  if (hold !== undefined) await endHold(trx, hold)
  if (taken.ranOut !== null) await expireHold(trx, taken.ranOut)
  return insertHold(trx, { ...found, id })
}

async function insertHold(
  trx: Transaction<Schema>,
  {
    id,
    office,
    startsAt,
    services,
    application,
    replaces,
  }: Found & {
    id: string
    startsAt: string | null
  },
): Promise<Reserved> {
  await trx
    .insertInto('appointment')
    .values({
      id,
      application_id: application.id,
      office_id: office.id,
      starts_at: startsAt,
      general_queue: startsAt === null,
      state: 'HELD',
      // In a transaction now() stands still: the same moment as that of the place.
      held_until: sql<Date>`now() + ${services.config.holdSeconds} * interval '1 second'`,
      replaces: replaces?.id ?? null,
    })
    .execute()
  return { kind: 'reserved', id }
}

function isSame(
  hold: AppointmentRow,
  wanted: { officeId: number; startsAt: string | null; replaces: AppointmentRow | undefined },
): boolean {
  return (
    hold.officeId === wanted.officeId &&
    hold.startsAt === wanted.startsAt &&
    hold.replaces === (wanted.replaces?.id ?? null)
  )
}

function findSlot({ calendar }: FoundOffice, startsAt: string, now: Date): Slot | undefined {
  const [day = '', time = ''] = startsAt.split('T')
  return bookableSlots(calendar, day, bookingWindow(calendar, now)).find(slot => slot.time === time)
}

function withSeconds(dateTime: string): string {
  return dateTime.length === '2026-12-01T09:30'.length ? `${dateTime}:00` : dateTime
}

function inTransaction<Result>(
  { db }: Services,
  work: (trx: Transaction<Schema>) => Promise<Result>,
): Promise<Result> {
  return retrying(() => db.transaction().execute(work))
}
