import * as z from 'zod/mini'
import { flag } from './fields.ts'
import { ApplicationId, AppointmentId } from './ids.ts'

/** Local date and time of the office, without offset: `2026-12-01T09:30:00` (D15). */
export const LocalDateTime = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/))

const officeId = z.pipe(
  z.union([z.string(), z.number()]),
  z.transform(value => String(value)),
)

const selection = {
  officeId,
  appointmentDate: z.nullable(z.optional(LocalDateTime)),
  generalQueue: z._default(z.nullable(z.boolean()), false),
}

/** A request without a date must ask for the general queue (APT16). With a date, this server ignores `generalQueue`. */
const dateOrQueue = z.refine<{ appointmentDate?: string | null | undefined; generalQueue: boolean | null }>(
  request => Boolean(request.appointmentDate) || request.generalQueue === true,
  { path: ['generalQueue'], message: 'required' },
)

export const AppointmentRequest = z.object({ applicationId: ApplicationId, ...selection }).check(dateOrQueue)
export type AppointmentRequest = z.output<typeof AppointmentRequest>

/**
 * `onlyHold` is not in the specification: this server then refuses to cancel an appointment that is booked by now.
 * Another back end ignores it.
 */
const AppointmentCancel = z.object({ cancel: z.literal(true), onlyHold: z.optional(z.boolean()) })
/** Like `AppointmentRequest`, without the application: the appointment already has it (S32). */
export const AppointmentChange = z.object(selection).check(dateOrQueue)
export const AppointmentUpdate = z.union([AppointmentCancel, AppointmentChange])
export type AppointmentUpdate = z.output<typeof AppointmentUpdate>

/**
 * Why an appointment cannot be changed: `state` of the application, `limit` of changes reached, or too little `time`
 * before it starts.
 */
const ChangeRefusal = z.enum(['state', 'limit', 'time'])
export type ChangeRefusal = z.output<typeof ChangeRefusal>

/** API20. The fields after `changeAllowed` are not in the specification. */
export const Appointment = z.object({
  id: AppointmentId,
  appointmentDate: z.nullable(z.optional(z.string())),
  country: z._default(z.nullable(z.string()), ''),
  city: z._default(z.nullable(z.string()), ''),
  addressOffice: z._default(z.nullable(z.string()), ''),
  nameOffice: z._default(z.nullable(z.string()), ''),
  changeAllowed: flag(),
  /**
   * Why `changeAllowed` is false; may be null for an appointment that has ended. For a hold: why it could not be changed once
   * it is confirmed.
   */
  changeRefusal: z.optional(z.nullable(ChangeRefusal)),
  /** Seconds until the hold expires; 0 after that, and when the appointment has ended. Absent while it is booked. */
  holdSeconds: z.optional(z.nullable(z.number())),
  /** Dictionary id of the office's country. It decides which papers are needed abroad (F13). */
  countryId: z.optional(z.nullable(z.string())),
  /** Time zone of the office, such as `Africa/Douala`, for the calendar file (F7). */
  timeZone: z.optional(z.nullable(z.string())),
  /** The signed text of the QR code on the receipt; absent without a receipt. */
  receiptCode: z.optional(z.nullable(z.string())),
  /** Number of earlier bookings of this application, also cancelled ones, for the calendar file. */
  sequence: z.optional(z.nullable(z.number())),
})
export type Appointment = z.output<typeof Appointment>

/** API26. `changeableFrom` is not in the specification. */
export const AvailableDates = z.object({
  data: z.array(z.string()),
  /**
   * The earliest start, on the office's clock, of an appointment that could still be changed after it is booked. Null:
   * none can, because the application would have no change left. Absent when the server does not say.
   */
  changeableFrom: z.optional(z.nullable(LocalDateTime)),
})
export type AvailableDates = z.output<typeof AvailableDates>

/** Joins a day and a time as text, without a Date object (S44). */
export function joinDayAndTime(day: string, time: string): string {
  return `${day}T${time.length === 5 ? `${time}:00` : time}`
}

export type AppointmentParts = { year: string; month: string; day: string; time: string }

/** Splits a local date and time for display; `time` is HH:MM (FIN08). */
export function appointmentParts(appointmentDate: string): AppointmentParts {
  const [date = '', time = ''] = appointmentDate.split('T')
  const [year = '', month = '', day = ''] = date.split('-')
  return { year, month, day, time: time.slice(0, 5) }
}

type OfficePlace = { office: string; city: string | null; country: string | null }

/**
 * The name of an office with its town and country, unless the name contains them (APT18, FIN07). No line begins with the
 * dash between them.
 */
export function officeWithTown({ office, city, country }: OfficePlace): string {
  const town = city && !containsWords(office, city) ? city : ''
  // Omits a country whose name contains the city, such as Luxembourg.
  const shownCountry =
    country && !containsWords(office, country) && !(city && containsWords(country, city)) ? country : ''
  return [office, [town, shownCountry].filter(Boolean).join(', ')].filter(Boolean).join('\u00a0– ')
}

/** True when `name` contains the words of `part` as whole words, one directly after the other. */
export function containsWords(name: string, part: string): boolean {
  return wordsOf(name).includes(wordsOf(part))
}

function wordsOf(name: string): string {
  return ` ${name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `
}
