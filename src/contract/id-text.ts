import type { ApplicationId, ApplicationNumber, AppointmentId, PaymentId } from './ids.ts'

/** A UUID of this server, or an id of another back end. An id needs no encoding in a URL. */
export const idPattern = /^[\w-]{1,64}$/

// The functions below give an id its type: an id of a URL, or one that this device has stored or made. Answers are checked
// with the schemas of ids.ts. This file has no zod, because routes need it before the schemas are loaded.

/** @throws {TypeError} when the text is not an id, as every function below. */
export function toApplicationId(text: string): ApplicationId {
  return requireId(text) as ApplicationId
}

export function toApplicationNumber(text: string): ApplicationNumber {
  return requireId(text) as ApplicationNumber
}

export function toAppointmentId(text: string): AppointmentId {
  return requireId(text) as AppointmentId
}

export function toPaymentId(text: string): PaymentId {
  return requireId(text) as PaymentId
}

function requireId(text: string): string {
  if (!idPattern.test(text)) throw new TypeError('The text is not an id')
  return text
}

/**
 * Stands for the application number in some URLs of the portal: in the URLs to which the server's pages around a card
 * payment lead, because these pages need no session and must not show the number; and in the URLs of a form whose
 * application has no number yet.
 */
export const placeholderNumber = toApplicationNumber('-')
