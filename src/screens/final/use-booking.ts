import { hashKey, type QueryKey, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ProblemError } from '#api/result.ts'
import type { Appointment } from '#contract/appointment.ts'
import type { ApplicationData } from '#contract/application.ts'
import { useLoadedServices } from '#app/services.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useFinalParams } from './final-route.ts'

export type Booking = {
  appointment: Appointment | undefined
  application: ApplicationData | undefined
  /** One of both cannot be shown: the server has refused it, or the call has failed and this device has cached none. */
  isFailed: boolean
  /**
   * The call for the appointment has answered, and is not running now. When its last run failed, the answer is that of
   * an earlier run. While it runs, the appointment may be stale. Without a connection the call answers with what this
   * device has cached.
   */
  isCurrent: boolean
}

/**
 * Returns the appointment and the answers of its application. Until the server responds, returns those that this device
 * has cached, so an applicant at the office does not wait for a slow connection or a broken service (D37). Once the
 * server refuses one of both, shows neither from the cache, and forgets the earlier answer to the refused call.
 */
export function useBooking(): Booking {
  const language = useLanguage()
  const { queries } = useLoadedServices()
  const { appId, appointmentId } = useFinalParams()
  const appointment = useQuery(queries.appointment(appointmentId, language))
  const application = useQuery(queries.applicationData(appId))
  const [refusedId, setRefusedId] = useState<string>()
  const wasRefused = refusedId === appointmentId
  const isRefused = wasRefused || isRefusal(appointment) || isRefusal(application)
  // A retry clears the error of the query, so the state remembers the refusal.
  if (isRefused && !wasRefused) setRefusedId(appointmentId)
  useForgetting(queries.appointment(appointmentId, language), isRefusal(appointment))
  useForgetting(queries.applicationData(appId), isRefusal(application))
  const { data: cached } = useQuery({
    queryKey: ['cached-booking', appId, appointmentId, language],
    queryFn: () => queries.cachedBooking(appId, appointmentId, language),
    enabled: !appointment.data || !application.data,
    staleTime: Infinity,
    gcTime: 0,
  })
  const shown = isRefused ? undefined : cached
  const found = {
    appointment: appointment.data ?? shown?.appointment,
    application: application.data ?? shown?.application,
  }
  return {
    ...found,
    isFailed: (appointment.isError && !found.appointment) || (application.isError && !found.application),
    isCurrent: appointment.data !== undefined && !appointment.isFetching,
  }
}

/** Deletes the answer of an earlier visit once the server refuses a new one: TanStack Query would keep it. */
function useForgetting({ queryKey }: { queryKey: QueryKey }, isRefused: boolean) {
  const { queryClient } = useLoadedServices()
  const hash = hashKey(queryKey)
  useEffect(() => {
    if (isRefused) queryClient.getQueryCache().get(hash)?.setState({ data: undefined })
  }, [queryClient, hash, isRefused])
}

/** Whether the server refuses this data for good. The excluded statuses ask for a later retry or a new token. */
function isRefusal({ error }: Pick<UseQueryResult, 'error'>): boolean {
  if (!(error instanceof ProblemError) || error.problem.kind !== 'refused') return false
  return ![401, 408, 425, 429].includes(error.problem.status)
}
