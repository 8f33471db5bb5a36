import { useLanguage } from '#i18n/use-language.ts'
import { useQuery } from '@tanstack/react-query'
import type { ApplicationId } from '#contract/ids.ts'
import { useLoadedServices } from '#app/services.ts'
import { firstOrPicked, onlyOrPicked, type Picks } from './booking-selection.ts'

/**
 * The lists of the booking form; each is requested once the level above it has a value (APT07–APT13). `chosen`: the picks,
 * and where nothing was picked, the only city or office and the first date and time.
 */
export function useBookingLists(picks: Picks, applicationId: ApplicationId) {
  const language = useLanguage()
  const { queries } = useLoadedServices()
  const countries = useQuery(queries.officeCountries(language))
  const cities = useQuery(queries.cities(language, picks.country))
  const city = onlyOrPicked(picks.city, cities.data)
  const offices = useQuery(queries.offices(language, city))
  const officeId = onlyOrPicked(picks.officeId, offices.data)
  const dates = useQuery(queries.availableDates(officeId, applicationId))
  const date = firstOrPicked(picks.date, dates.data)
  const slots = useQuery(queries.availableSlots(officeId, date))
  const time = firstOrPicked(picks.time, slots.data)
  return {
    countries,
    cities,
    offices,
    dates,
    slots,
    chosen: { country: picks.country, city, officeId, date, time },
  }
}
