import { useQuery, type UseQueryResult } from '@tanstack/react-query'
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
  /** The call for the appointment has ended; before that the appointment may be stale. */
  isCurrent: boolean
}

/**
 * Returns the appointment and its form. Until the first answer, they are those that this device has cached, so an
 * applicant at the office does not wait for a slow line (D37). After a failure the cached ones do not come back: the
 * server may have refused them.
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
    enabled: isFirstCall(appointment) || isFirstCall(application),
    staleTime: Infinity,
    gcTime: 0,
  })
  return {
    appointment: appointment.data ?? (isFirstCall(appointment) ? cached?.appointment : undefined),
    application: application.data ?? (isFirstCall(application) ? cached?.application : undefined),
    isFailed: [appointment, application].some(({ data, isError }) => isError && !data),
    isCurrent: appointment.data !== undefined && !appointment.isFetching,
  }
}

type FirstCallFact = 'isPending' | 'errorUpdateCount'

/** A retry after a failure is pending too. */
function isFirstCall({ isPending, errorUpdateCount }: Pick<UseQueryResult, FirstCallFact>): boolean {
  return isPending && errorUpdateCount === 0
}
