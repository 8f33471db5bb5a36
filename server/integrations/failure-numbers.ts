import type { FailureReason } from '#contract/payment-failure.ts'

/**
 * Numbers that CinetPay and the aggregator of collect-wallet.ts give as the reason of a failure; for any other number the
 * reason is `unknown`. 606 is missing on purpose: with Orange it means a wrong code, too little money, or a second debit of
 * the same amount.
 */
export const failureByNumber: Partial<Record<number, FailureReason>> = {
  602: 'not-enough-money',
  603: 'operator-down',
  604: 'wrong-code',
  625: 'expired',
  627: 'canceled',
  635: 'no-account',
  636: 'no-account',
  642: 'limit-reached',
  804: 'operator-down',
  807: 'limit-reached',
  808: 'limit-reached',
  809: 'limit-reached',
  810: 'limit-reached',
  811: 'limit-reached',
  812: 'limit-reached',
}
