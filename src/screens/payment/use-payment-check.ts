import { useQuery } from '@tanstack/react-query'
import { ProblemError } from '#api/result.ts'
import { firstPollDelayMs, pollIntervalMs } from '#contract/codes.ts'
import type { ApplicationId, PaymentId } from '#contract/ids.ts'
import type { PaymentStatus } from '#contract/payment.ts'
import { useLoadedServices } from '#app/services.ts'

/**
 * Polls a payment until it has ended or the server does not know it, and queries it at once when the page is visible or
 * the device is online again (PAY27). A long poll, which the server would hold open, follows the last answer without
 * the usual interval (D68). A hidden page does not poll.
 */
export function usePaymentCheck(paymentId: PaymentId, applicationId: ApplicationId, { enabled = true } = {}) {
  const { queries } = useLoadedServices()
  const check = useQuery({
    ...queries.payment(applicationId, paymentId),
    enabled,
    refetchInterval: ({ state }) =>
      !isNotFound(state.error) &&
      // The next interval begins with the answer.
      state.fetchStatus !== 'fetching' &&
      nextPollDelayMs(state.data?.paymentStatus, {
        isLongPoll: state.data?.mayWait === true,
        isLost: state.status === 'error',
      }),
    refetchOnWindowFocus: ({ state }) => isPaymentOpen(state.data?.paymentStatus) && 'always',
    refetchOnReconnect: ({ state }) => isPaymentOpen(state.data?.paymentStatus) && 'always',
  })
  // A server that was restored from a backup may no longer know a payment that was open before: the polls have stopped.
  const isUnknown = isNotFound(check.error) && isPaymentOpen(check.data?.paymentStatus)
  return { payment: check.data, isUnknown }
}

/** Whether the payment has not ended; true before the first response (S61). */
export function isPaymentOpen(status: PaymentStatus | undefined): boolean {
  return status === undefined || status === 'IN_PROGRESS'
}

/**
 * Milliseconds until the next poll, or false when the payment has ended (PAY27). `isLongPoll`: the server would hold
 * the next poll open. `isLost`: the last poll failed.
 */
export function nextPollDelayMs(
  status: PaymentStatus | undefined,
  { isLongPoll = false, isLost = false } = {},
): number | false {
  if (!isPaymentOpen(status)) return false
  if (!isLongPoll) return pollIntervalMs
  return isLost ? lostWaitDelayMs : firstPollDelayMs
}

const lostWaitDelayMs = 3_000

/** Every other failure is silent, and the next poll runs (S61). */
function isNotFound(error: unknown): boolean {
  return error instanceof ProblemError && error.problem.kind === 'refused' && error.problem.status === 404
}
