import type { ApplicationId, ApplicationNumber, AppointmentId, PaymentId } from './ids.ts'

/** What an id looks like: a UUID, or an existing back end's own text. It stands in addresses as it is. */
export const idPattern = /^[\w-]{1,64}$/

// An id out of an address, or one that was read before. The pattern is all that ids.ts asks of any of them.

export function toApplicationId(text: string): ApplicationId {
  return checked(text) as ApplicationId
}

export function toApplicationNumber(text: string): ApplicationNumber {
  return checked(text) as ApplicationNumber
}

export function toAppointmentId(text: string): AppointmentId {
  return checked(text) as AppointmentId
}

export function toPaymentId(text: string): PaymentId {
  return checked(text) as PaymentId
}

function checked(text: string): string {
  if (!idPattern.test(text)) throw new TypeError('not an id')
  return text
}
