import type { ApplicationData } from '#contract/application.ts'
import type { Appointment } from '#contract/appointment.ts'
import { homeCountry } from '#contract/codes.ts'
import { type Paper, papersOfForm } from '#contract/papers.ts'

/** Returns the papers to bring. Without a date, as in the general queue, they are those of `today`, YYYY-MM-DD. */
export function papersOfBooking(
  application: ApplicationData,
  { appointmentDate, countryId }: Appointment,
  today: string,
): Paper[] {
  return papersOfForm(application, {
    day: appointmentDate?.slice(0, 10) ?? today,
    officeCountry: countryId ?? homeCountry,
  })
}
