import type { ApplicationId, ApplicationNumber, PaymentId } from '#contract/ids.ts'
import type { Services } from '#app/services.ts'
import type { CardTarget } from './card-page.ts'

/** The payment screen passes these values in the history state, never in a URL. */
export type CardPayment = CardTarget & {
  appId: ApplicationId
  appNumber: ApplicationNumber
  /** Undefined when the server names no payment. */
  paymentId: PaymentId | undefined
  /** Prevents the redirect to the card page when another applicant signs in and goes back in the history. */
  applicantId: string
  /**
   * Identifies one press of Pay. The tab storage has the `visit` of the form that was sent: the same one means that the
   * applicant returns from the card page. A second press of Pay gets a new one and may send the same form again.
   */
  visit: string
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    cardPayment?: CardPayment
  }
}

export function applicantOf(session: Services['session']): string {
  const state = session.state()
  return state.kind === 'signed-in' ? state.claims.applicantId : ''
}
