import { useQuery } from '@tanstack/react-query'
import { homeCountry, type Language } from '#contract/codes.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { type LoadedServices, useLoadedServices } from '#app/services.ts'
import { nothingPicked, type Picks } from './booking-selection.ts'

/**
 * Returns the picks that preselect the office of the kiosk (D38): none on other devices, while loading, and when the office is
 * not found or a list cannot be loaded.
 */
export function useKioskOffice(): Picks {
  const services = useLoadedServices()
  const language = useLanguage()
  const use = services.deviceUse.current()
  const officeId = use.kind === 'kiosk' ? use.officeId : ''
  const office = useQuery({
    queryKey: ['kiosk-office', officeId],
    queryFn: () => findOffice(services, officeId, language),
    enabled: officeId !== '',
    staleTime: Infinity,
  })
  return office.data ?? nothingPicked
}

/** The API lists offices by city only, so this reads the cities one country after another, Cameroon first. */
async function findOffice(
  { queryClient, queries }: LoadedServices,
  officeId: string,
  language: Language,
): Promise<Picks> {
  const countries = await queryClient.fetchQuery(queries.officeCountries(language))
  for (const { id: country } of [...countries].sort((one, two) => rank(one.id) - rank(two.id))) {
    const cities = await queryClient.fetchQuery(queries.cities(language, country))
    const lists = await Promise.all(
      cities.map(async city => ({
        city: city.id,
        offices: await queryClient.fetchQuery(queries.offices(language, city.id)),
      })),
    )
    const found = lists.find(({ offices }) => offices.some(({ id }) => id === officeId))
    if (found) return { ...nothingPicked, country, city: found.city, officeId }
  }
  return nothingPicked
}

function rank(country: string): number {
  return country === homeCountry ? 0 : 1
}
