import { useLanguage } from '#i18n/use-language.ts'
import { useQuery } from '@tanstack/react-query'
import type { ApplicationId } from '#contract/ids.ts'
import { useLoadedServices } from '#app/services.ts'
import { firstOrPicked, onlyOrPicked, type Picks } from './booking-selection.ts'

/**
 * `booked`: the place that a change would give up. The server refuses to book it again, so the list leaves it out. Its day and
 * time are '' for a first booking: then nothing is left out.
 */
type BookingContext = { applicationId: ApplicationId; booked: Place }
type Place = Pick<Picks, 'officeId' | 'date' | 'time'>

function isBooked({ officeId, date, time }: Place, booked: Place): boolean {
  return officeId === booked.officeId && date === booked.date && time.slice(0, 5) === booked.time.slice(0, 5)
}

/**
 * The lists of the booking form; each is requested as soon as the level above it has a value (APT07–APT13). `chosen`:
 * the picks. When the list of cities or of offices does not have the pick: its only item, else ''. When the list of
 * dates or of times does not have the pick: its first item, else ''. `changeableFrom`: see `AvailableDates`.
 */
export function useBookingLists(picks: Picks, { applicationId, booked }: BookingContext) {
  const language = useLanguage()
  const { queries } = useLoadedServices()
  const countries = useQuery(queries.officeCountries(language))
  const cities = useQuery(queries.cities(language, picks.country))
  const city = onlyOrPicked(picks.city, cities.data)
  const offices = useQuery(queries.offices(language, city))
  const officeId = onlyOrPicked(picks.officeId, offices.data)
  const available = queries.availableDates(officeId, applicationId)
  const dates = useQuery({ ...available, select: ({ data }) => data })
  const { data: changeableFrom } = useQuery({ ...available, select: answer => answer.changeableFrom })
  const date = firstOrPicked(picks.date, dates.data)
  const slots = useQuery({
    ...queries.availableSlots(officeId, date, applicationId),
    select: times => times.filter(time => !isBooked({ officeId, date, time }, booked)),
  })
  const time = firstOrPicked(picks.time, slots.data)
  return {
    countries,
    cities,
    offices,
    dates,
    slots,
    /** Whether the request of the dates or of the times has failed and no new request runs. */
    hasFailed: [dates, slots].some(({ isError, isFetching }) => isError && !isFetching),
    changeableFrom,
    chosen: { country: picks.country, city, officeId, date, time },
  }
}
