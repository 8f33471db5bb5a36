import { useQuery } from '@tanstack/react-query'
import { ProblemError } from '#api/result.ts'
import { pollIntervalMs } from '#contract/codes.ts'
import type { ApplicationId, PaymentId } from '#contract/ids.ts'
import type { PaymentStatus } from '#contract/payment.ts'
import { useLoadedServices } from '#app/services.ts'

/** Polls a payment until it has ended, and queries it at once when the page becomes visible again (PAY27). */
export function usePaymentCheck(paymentId: PaymentId, applicationId: ApplicationId, { enabled = true } = {}) {
  const { queries } = useLoadedServices()
  const check = useQuery({
    ...queries.payment(paymentId, applicationId),
    enabled,
    refetchInterval: ({ state }) => !isNotFound(state.error) && nextPollDelayMs(state.data?.paymentStatus),
    refetchOnWindowFocus: ({ state }) => isOpen(state.data?.paymentStatus) && 'always',
    refetchOnReconnect: ({ state }) => isOpen(state.data?.paymentStatus) && 'always',
  })
  return { payment: check.data, isUnknown: check.data === undefined && isNotFound(check.error) }
}

/** Whether the payment has not ended; true before the first response (S61). */
export function isOpen(status: PaymentStatus | undefined): boolean {
  return status === undefined || status === 'IN_PROGRESS'
}

/** Milliseconds until the next query, or false when the payment has ended (PAY27). */
export function nextPollDelayMs(status: PaymentStatus | undefined): number | false {
  return isOpen(status) ? pollIntervalMs : false
}

/** Every other failure is silent, and the next query runs (S61). */
function isNotFound(error: unknown): boolean {
  return error instanceof ProblemError && error.problem.kind === 'refused' && error.problem.status === 404
}
