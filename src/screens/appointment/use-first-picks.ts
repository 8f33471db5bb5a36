import { useQuery } from '@tanstack/react-query'
import { useLanguage } from '#i18n/use-language.ts'
import { useLoadedServices } from '#app/services.ts'
import { nothingPicked, type Picks } from './booking-selection.ts'
import { picksOfAppointment, picksOfResidence } from './first-picks.ts'
import { useKioskOffice } from './kiosk-office.ts'
import type { BookingTarget } from './use-reserve.ts'

/**
 * Returns what the booking form shows as picked before the applicant picks anything: for a change of an appointment the
 * booked office and day, on a kiosk its office, otherwise the country and the city of the residence. For a change it also
 * returns the booked time, which the form does not offer again. Nothing is picked while the lists load, and when they
 * cannot be read.
 */
export function useFirstPicks({ application, bookedId }: BookingTarget): Picks {
  const language = useLanguage()
  const { deviceUse, queries, queryClient } = useLoadedServices()
  const kioskOffice = useKioskOffice()
  const isAtKioskOffice = deviceUse.current().kind === 'kiosk' && bookedId === undefined
  const picks = useQuery({
    queryKey: ['first-picks', application.appId, bookedId ?? ''],
    async queryFn() {
      const lists = {
        countries: await queryClient.fetchQuery(queries.officeCountries(language)),
        cities: (country: string) => queryClient.fetchQuery(queries.cities(language, country)),
        offices: (city: string) => queryClient.fetchQuery(queries.offices(language, city)),
      }
      if (bookedId === undefined)
        return picksOfResidence(
          await queryClient.ensureQueryData(queries.applicationData(application.appId)),
          lists,
        )
      return picksOfAppointment(
        await queryClient.ensureQueryData(queries.appointment(bookedId, language)),
        lists,
      )
    },
    // `useKioskOffice` reads its office itself.
    enabled: !isAtKioskOffice,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  return isAtKioskOffice ? kioskOffice : (picks.data ?? nothingPicked)
}
