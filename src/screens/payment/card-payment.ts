import type { ApplicationId, ApplicationNumber, PaymentId } from '#contract/ids.ts'
import type { Services } from '#app/services.ts'
import type { CardTarget } from './card-page.ts'

/** What the payment screen hands over; it never stands in an address. */
export type CardPayment = CardTarget & {
  appId: ApplicationId
  appNumber: ApplicationNumber
  /** A service other than ours names none. */
  paymentId: PaymentId | undefined
  /** Whoever signs in next on this device and goes back in its history is not sent to pay for another. */
  applicantId: string
  /** Of this one way to the card page: Pay pressed anew may lead to the same form, and is no return. */
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
