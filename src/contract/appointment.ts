import * as z from 'zod/mini'
import { ApplicationId, AppointmentId } from './ids.ts'

/** Office-local date and time without offset, `2026-12-01T09:30:00` (D15). */
export const LocalDateTime = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/))

const officeId = z.pipe(
  z.union([z.string(), z.number()]),
  z.transform(value => String(value)),
)

const place = {
  officeId,
  appointmentDate: z.nullable(z.optional(LocalDateTime)),
  generalQueue: z._default(z.nullable(z.boolean()), false),
}

/** Without a date the general queue must be asked for (APT16). */
const dateOrQueue = z.refine<{ appointmentDate?: string | null | undefined; generalQueue: boolean | null }>(
  request => Boolean(request.appointmentDate) || request.generalQueue === true,
  { path: ['generalQueue'], message: 'required' },
)

export const AppointmentRequest = z.object({ applicationId: ApplicationId, ...place }).check(dateOrQueue)
export type AppointmentRequest = z.output<typeof AppointmentRequest>

export const AppointmentCancel = z.object({ cancel: z.literal(true) })
/** A change takes the keys of a creation; the application is the appointment's own (S32). */
export const AppointmentChange = z.object(place).check(dateOrQueue)
export const AppointmentUpdate = z.union([AppointmentCancel, AppointmentChange])
export type AppointmentUpdate = z.output<typeof AppointmentUpdate>

/** API20; what may be absent is our addition. */
export const Appointment = z.object({
  id: AppointmentId,
  appointmentDate: z.nullable(z.optional(z.string())),
  country: z._default(z.nullable(z.string()), ''),
  city: z._default(z.nullable(z.string()), ''),
  addressOffice: z._default(z.nullable(z.string()), ''),
  nameOffice: z._default(z.nullable(z.string()), ''),
  changeAllowed: z._default(z.boolean(), false),
  /** Seconds that the reservation still holds; absent once it is confirmed. */
  holdSeconds: z.optional(z.nullable(z.number())),
  /** The office's country, as its dictionary names it; with it go the papers that are asked for abroad (F13). */
  countryId: z.optional(z.nullable(z.string())),
  /** The office's time zone, `Africa/Douala`: for a calendar, which has to know it (F7). */
  timeZone: z.optional(z.nullable(z.string())),
  /** How many appointments this application had booked before this one. */
  sequence: z.optional(z.nullable(z.number())),
})
export type Appointment = z.output<typeof Appointment>

/** Day and time joined as they are, never through a Date object (S44). */
export function joinDayAndTime(day: string, time: string): string {
  return `${day}T${time.length === 5 ? `${time}:00` : time}`
}

export type AppointmentParts = { year: string; month: string; day: string; time: string }

/** The parts a person reads; the time is its first five characters (FIN08). */
export function appointmentParts(appointmentDate: string): AppointmentParts {
  const [date = '', time = ''] = appointmentDate.split('T')
  const [year = '', month = '', day = ''] = date.split('-')
  return { year, month, day, time: time.slice(0, 5) }
}

type OfficePlace = { office: string; city: string | null; country: string | null }

/** An office with its town and country, as far as its own name does not say them (APT18, FIN07). */
export function officeWithTown({ office, city, country }: OfficePlace): string {
  const town = city && !says(office, city) ? city : ''
  // A city that is a country, or gives it its name, says both.
  const land = country && !says(office, country) && !(city && says(country, city)) ? country : ''
  return [office, [town, land].filter(Boolean).join(', ')].filter(Boolean).join(' – ')
}

/** Whether the words of one name stand in another, whole and in their order. */
function says(name: string, part: string): boolean {
  return wordsOf(name).includes(wordsOf(part))
}

function wordsOf(name: string): string {
  return ` ${name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `
}
