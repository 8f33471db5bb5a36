import { useQuery } from '@tanstack/react-query'
import type { Appointment } from '#contract/appointment.ts'
import type { ApplicationData } from '#contract/application.ts'
import { useLoadedServices } from '#app/services.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useFinalParams } from './final-route.ts'

export type Booking = {
  appointment: Appointment | undefined
  application: ApplicationData | undefined
  /** The server has refused an answer, or it did not arrive and this device has none. */
  isFailed: boolean
  /** The server has answered; before that the booking may be stale. */
  isCurrent: boolean
}

/**
 * Returns the appointment and its form. Until the server has answered, they are those that this device has cached, so an
 * applicant at the office does not wait for a slow line (D37). An appointment that has changed has another id (D85).
 */
export function useBooking(): Booking {
  const language = useLanguage()
  const { queries } = useLoadedServices()
  const { appId, appointmentId } = useFinalParams()
  const appointment = useQuery(queries.appointment(appointmentId, language))
  const application = useQuery(queries.applicationData(appId))
  const { data: cached } = useQuery({
    queryKey: ['cached-booking', appId, appointmentId, language],
    queryFn: () => queries.cachedBooking(appId, appointmentId, language),
    enabled: appointment.isPending || application.isPending,
    staleTime: Infinity,
    gcTime: 0,
  })
  return {
    appointment: appointment.data ?? (appointment.isPending ? cached?.appointment : undefined),
    application: application.data ?? (application.isPending ? cached?.application : undefined),
    isFailed: [appointment, application].some(({ data, isError }) => isError && !data),
    isCurrent: appointment.data !== undefined && !appointment.isFetching,
  }
}
