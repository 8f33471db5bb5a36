import * as z from 'zod/mini'
import { LocalDateTime } from './appointment.ts'
import { ApplicationId, ApplicationNumber, AppointmentId } from './ids.ts'

/** An appointment in the list. The specification has only `id`. */
const ListedAppointment = z.object({
  id: AppointmentId,
  /** Null in the general queue. Another back end may send any ISO date-time, as in the answer of API20. */
  appointmentDate: z.optional(z.nullable(z.string())),
  /** The name of the office in both languages. */
  office: z.optional(z.nullable(z.object({ fr: z.string(), en: z.string() }))),
  /** When it was booked or changed, in UTC by the clock of the server: later for each change (D62). */
  confirmedAt: z.optional(z.nullable(z.string())),
})

/** An application in the answer of API08. The fields from `person` on are not in the specification. */
export const ListedApplication = z.object({
  id: ApplicationId,
  applicationNumber: ApplicationNumber,
  currentState: z.string(),
  /** On this server the appointment that was booked last, also after it was cancelled or missed. */
  appointment: z.nullable(z.optional(ListedAppointment)),
  /** The person of the form, as far as the applicant has typed the name. */
  person: z.optional(z.nullable(z.object({ surname: z.string(), givenName: z.string() }))),
  /** The reason for the application, as a code of the form. */
  reason: z.optional(z.nullable(z.string())),
  /** The unconfirmed hold of this application. */
  reservation: z.optional(
    z.nullable(
      z.object({
        id: AppointmentId,
        appointmentDate: z.nullable(LocalDateTime),
        /** Seconds until the hold expires. */
        holdSeconds: z.number(),
      }),
    ),
  ),
  /** The appointment that a closed day of the office cancelled. */
  lostToClosedDay: z.optional(z.nullable(z.object({ appointmentDate: LocalDateTime }))),
  /** The day on which the server deletes the application if it stays unchanged, `YYYY-MM-DD` (F12). */
  deletionDate: z.optional(z.nullable(z.string())),
})
