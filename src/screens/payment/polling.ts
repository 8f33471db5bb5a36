import { pollIntervalMs } from '#contract/codes.ts'
import type { PaymentStatus } from '#contract/payment.ts'

/** Whether there is still something to wait for; before the first answer there is (S61). */
export function isOpen(status: PaymentStatus | undefined): boolean {
  return status === undefined || status === 'IN_PROGRESS'
}

/** Milliseconds until the next check, or false when the payment has ended (PAY27). */
export function nextPollDelayMs(status: PaymentStatus | undefined): number | false {
  return isOpen(status) ? pollIntervalMs : false
}
