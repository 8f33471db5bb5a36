import type { ApplicationParams, PaymentId } from '#contract/ids.ts'
import type { Services } from '#app/services.ts'
import type { CardTarget } from './card-page.ts'

/** The press of Pay passes these values to the screen `/cardPayment` through the history state, never in a URL. */
export type CardPayment = CardTarget &
  ApplicationParams & {
    /** Undefined when the server names no payment. */
    paymentId: PaymentId | undefined
    /** Prevents the redirect to the card page when another applicant signs in and goes back in the history. */
    applicantId: string
    /**
     * Identifies one press of Pay. The tab storage has the last visits that are over: the form was sent, or the applicant has
     * left the page without sending it. A second press of Pay gets a new `visit` and may send the same form again.
     */
    visit: string
  }

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** A `CardPayment` as JSON; on a shared device an alias of it (D31). */
    cardPayment?: string
  }
}

/** The tab storage of a shared device has the alias of the last card payment, never the payment itself. */
const lastPaymentKey = 'card-payment'

/** The tab storage has the visits that are over, with spaces between. */
const pastVisitsKey = 'card-payment-sent'
/** How many visits stay saved: more than the payments to which a payer goes back in one tab. */
const maxPastVisits = 20

type Parts = Pick<Services, 'addresses' | 'device' | 'deviceUse'>

/**
 * Saves in the tab that this `visit` is over: the payer has left for the card page, or for another page of the portal. A return
 * then sends no form, because the order may have ended since. Earlier visits stay saved: the payer may go back to their pages
 * too, and must not pay an earlier order beside a later one (D42).
 */
export function endVisit(device: Parts['device'], visit: string): void {
  const visits = new Set([...readPastVisits(device), visit])
  device.saveTabText(pastVisitsKey, [...visits].slice(-maxPastVisits).join(' '))
}

export function isVisitOver(device: Parts['device'], visit: string): boolean {
  return readPastVisits(device).includes(visit)
}

function readPastVisits(device: Parts['device']): string[] {
  return device.readTabText(pastVisitsKey)?.split(' ') ?? []
}

/** Returns the text for the history state of `/cardPayment`; on a shared device an alias, which the tab storage gets too. */
export function hideCardPayment({ addresses, device, deviceUse }: Parts, payment: CardPayment): string {
  const text = JSON.stringify(payment)
  if (!deviceUse.isShared()) return text
  const hidden = addresses.aliases.aliasOf(text)
  device.saveTabText(lastPaymentKey, hidden)
  return hidden
}

/**
 * Reads the payment of the history state. On a shared device the gateway returns to a page of the server whose link opens
 * `/cardPayment` without a history state: then returns the last payment of this tab. Undefined when this tab knows no payment.
 */
export function readCardPayment(
  { addresses, device, deviceUse }: Parts,
  state: unknown,
): CardPayment | undefined {
  const hidden = state ?? (deviceUse.isShared() ? device.readTabText(lastPaymentKey) : undefined)
  // An earlier release saved an object: it counts as no payment.
  const text = typeof hidden === 'string' ? addresses.aliases.idOf(hidden) : ''
  // Only `hideCardPayment` writes the text.
  return text.startsWith('{') ? (JSON.parse(text) as CardPayment) : undefined
}
