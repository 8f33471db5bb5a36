import { useQuery } from '@tanstack/react-query'
import { useLanguage } from '#i18n/use-language.ts'
import { useLoadedServices } from '#app/services.ts'
import { nothingPicked, type Picks } from './booking-selection.ts'
import { picksOfAppointment, picksOfResidence } from './first-picks.ts'
import { useKioskOffice } from './kiosk-office.ts'
import type { Booking } from './use-booking.ts'

/**
 * What is selected before the applicant picks: on a kiosk its office, for a change the booked office and day, otherwise
 * the place of residence. Returns no picks while loading, and when the lists cannot be read.
 */
export function useFirstPicks({ application, changed }: Booking): Picks {
  const language = useLanguage()
  const { deviceUse, queries, queryClient } = useLoadedServices()
  const kioskOffice = useKioskOffice()
  const isKiosk = deviceUse.current().kind === 'kiosk'
  const picks = useQuery({
    queryKey: ['first-picks', application.appId, changed ?? ''],
    async queryFn() {
      const lists = {
        countries: await queryClient.fetchQuery(queries.officeCountries(language)),
        cities: (country: string) => queryClient.fetchQuery(queries.cities(language, country)),
        offices: (city: string) => queryClient.fetchQuery(queries.offices(language, city)),
      }
      if (changed === undefined)
        return picksOfResidence(
          await queryClient.ensureQueryData(queries.applicationData(application.appId)),
          lists,
        )
      return picksOfAppointment(
        await queryClient.ensureQueryData(queries.appointment(changed, language)),
        lists,
      )
    },
    enabled: !isKiosk,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  return isKiosk ? kioskOffice : (picks.data ?? nothingPicked)
}
