import { useQuery } from '@tanstack/react-query'
import { ProblemError } from '#api/result.ts'
import type { ApplicationId, PaymentId } from '#contract/ids.ts'
import { useServices } from '#app/services.ts'
import { isOpen, nextPollDelayMs } from './polling.ts'

/** Asks again and again while nothing is decided, and at once when the page is seen again (PAY27). */
export function usePaymentCheck(paymentId: PaymentId, applicationId: ApplicationId, { enabled = true } = {}) {
  const { queries } = useServices()
  const check = useQuery({
    ...queries.payment(paymentId, applicationId),
    enabled,
    refetchInterval: ({ state }) => !isNotFound(state.error) && nextPollDelayMs(state.data?.paymentStatus),
    refetchOnWindowFocus: ({ state }) => isOpen(state.data?.paymentStatus) && 'always',
    refetchOnReconnect: ({ state }) => isOpen(state.data?.paymentStatus) && 'always',
  })
  return { payment: check.data, isUnknown: check.data === undefined && isNotFound(check.error) }
}

/** Any other failed check is silent, and the next one runs (S61). */
function isNotFound(error: unknown): boolean {
  return error instanceof ProblemError && error.problem.kind === 'refused' && error.problem.status === 404
}
