import type { ReceiptVerdict } from '#contract/receipt-code.ts'
import { createObservable } from '#device/observable.ts'
import { checkCode } from './check-code.ts'

/**
 * One check of one code, for `useSyncExternalStore`. `publicKeys`: as for `checkCode`; undefined while they are unknown.
 * Without TanStack Query: the portal loads that library for the pages after the sign-in.
 */
export function createCodeCheck(code: string, publicKeys: string | undefined) {
  const found = createObservable<ReceiptVerdict | undefined>(undefined)
  let isStarted = false
  return {
    /** Undefined while the check runs, and without a code or the keys. */
    verdict: found.state,
    /** Starts the check. */
    subscribe: (listener: () => void) => {
      if (!isStarted && code !== '' && publicKeys !== undefined) {
        isStarted = true
        void checkCode(code, publicKeys).then(found.setState)
      }
      return found.subscribe(listener)
    },
  }
}
