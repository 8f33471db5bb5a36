import type { ApplicationId, ApplicationNumber, PaymentId } from '#contract/ids.ts'
import type { Services } from '#app/services.ts'
import type { CardTarget } from './card-page.ts'

/** The payment screen passes these values in the history state, never in a URL. */
export type CardPayment = CardTarget & {
  appId: ApplicationId
  appNumber: ApplicationNumber
  /** Undefined when the server names no payment. */
  paymentId: PaymentId | undefined
  /** Prevents the redirect when another applicant signs in and goes back in the history. */
  applicantId: string
  /** Identifies one press of Pay: a second press may lead to the same form and is not a return. */
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
