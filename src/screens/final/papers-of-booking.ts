import type { ApplicationData } from '#contract/application.ts'
import type { Appointment } from '#contract/appointment.ts'
import { homeCountry, homeTimeZone } from '#contract/codes.ts'
import { dayIn } from '#contract/dates.ts'
import { type Paper, papersOfForm } from '#contract/papers.ts'

/** Returns the papers to bring. Without a date, as in the general queue, they are those of today. */
export function papersOfBooking(
  application: ApplicationData,
  { appointmentDate, countryId }: Appointment,
  nowMs: number,
): Paper[] {
  return papersOfForm(application, {
    day: appointmentDate?.slice(0, 10) ?? dayIn(homeTimeZone, new Date(nowMs)),
    officeCountry: countryId ?? homeCountry,
  })
}
