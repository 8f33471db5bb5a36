import { type Kysely, sql } from 'kysely'
import type { AnswerInput } from '#contract/endpoints.ts'
import type { Language } from '#contract/codes.ts'
import { mayChangeAppointment, nextState } from '#contract/states.ts'
import type { Schema } from '#server/database/schema.ts'
import { countryName } from '#server/features/dictionary/dictionary-handlers.ts'
import { type Caller, type Refusal, refuse } from '#server/calls/call.ts'
import type { Services } from '#server/calls/services.ts'
import { type AppointmentRow, findAppointment } from './appointment-rows.ts'
import { isLiveHold } from './hold-rule.ts'
import { type BookedAppointment, changeRefusal, mayChange } from './change-rule.ts'

type Answer = AnswerInput<'readAppointment'>

/** Returns the text of the QR code on the receipt of a booked appointment; undefined when there is no receipt. */
export type ReceiptCodeOf = (appointment: AppointmentRow, office: string) => Promise<string | undefined>

type AppointmentRequest = { caller: Caller; language: Language; appointmentId: string }

/**
 * Returns an appointment as the applicant sees it (API20): the office in words of one language, the time on the
 * office's clock.
 */
export async function readAppointment(
  services: Services,
  { caller, language, appointmentId }: AppointmentRequest,
  receiptCodeOf: ReceiptCodeOf,
): Promise<Answer | Refusal> {
  const appointment = await findAppointment(services.db, caller, appointmentId)
  if (appointment === undefined) return refuse('not-found')
  const office = await describeOffice(services.db, appointment.officeId, language)
  const rule = { changeLimit: services.config.changeLimit, now: services.clock.now() }
  return {
    data: {
      id: appointment.id,
      appointmentDate: appointment.startsAt,
      ...wordsOf(office),
      countryId: String(office.countryId),
      timeZone: appointment.timeZone,
      sequence: await bookedBefore(services.db, appointment),
      changeAllowed: appointment.state === 'CONFIRMED' && mayChange(appointment, rule),
      changeRefusal: changeRefusal(onceConfirmed(appointment), rule) ?? null,
      ...reservation(appointment),
      ...(appointment.state === 'CONFIRMED' && {
        receiptCode: await receiptCodeOf(appointment, office.nameOffice),
      }),
    },
  }
}

/**
 * A hold as it is once it is confirmed: the confirmation of a change counts as one change. The state decides whether it
 * is a change, as in `confirm`, because the appointment that the hold replaces may have been cancelled since.
 */
function onceConfirmed(appointment: AppointmentRow): BookedAppointment {
  const { state, applicationState, changesUsed } = appointment
  if (state !== 'HELD') return appointment
  const isChange = mayChangeAppointment(applicationState)
  const event = isChange ? 'appointment-changed' : 'appointment-confirmed'
  return {
    ...appointment,
    applicationState: nextState(applicationState, event) ?? applicationState,
    changesUsed: isChange ? changesUsed + 1 : changesUsed,
  }
}

/**
 * Counts the bookings of the application before this one, cancelled ones too: the SEQUENCE of the calendar file. A
 * calendar program keeps the entry with the highest number.
 */
async function bookedBefore(db: Kysely<Schema>, { id, applicationId }: AppointmentRow): Promise<number> {
  const { booked } = await db
    .selectFrom('appointment')
    .select(row => row.fn.countAll<string>().as('booked'))
    .where('application_id', '=', applicationId)
    .where('confirmed_at', '<', row =>
      row
        .selectFrom('appointment as this')
        .select(own => own.fn.coalesce('this.confirmed_at', sql<Date>`now()`).as('at'))
        .where('this.id', '=', id),
    )
    .executeTakeFirstOrThrow()
  return Number(booked)
}

export type DescribedOffice = {
  countryId: number
  country: string
  city: string
  addressOffice: string
  nameOffice: string
}

/** @throws when no office has this id. */
export async function describeOffice(
  db: Kysely<Schema>,
  officeId: number,
  language: Language,
): Promise<DescribedOffice> {
  const office = await db
    .selectFrom('office')
    .innerJoin('city', 'city.id', 'office.city_id')
    .select([
      'office.country_id as countryId',
      'office.address as addressOffice',
      `office.name_${language} as nameOffice`,
      `city.name_${language} as city`,
    ])
    .where('office.id', '=', officeId)
    .executeTakeFirstOrThrow()
  return { ...office, country: countryName(office.countryId, language) ?? '' }
}

function wordsOf({ country, city, addressOffice, nameOffice }: DescribedOffice) {
  return { country, city, addressOffice, nameOffice }
}

/** No `holdSeconds` for a booked appointment; 0 for an expired reservation and for an appointment that has ended. */
function reservation(appointment: AppointmentRow): { holdSeconds?: number } {
  if (appointment.state === 'CONFIRMED') return {}
  return { holdSeconds: isLiveHold(appointment) ? (appointment.secondsLeft ?? 0) : 0 }
}
