import type { ApplicationId, ApplicationNumber, AppointmentId, PaymentId } from './ids.ts'

/** A UUID, or the id format of an existing back end. An id is used in URLs without encoding. */
export const idPattern = /^[\w-]{1,64}$/

// These functions check an id from a URL, or an id that was read before. This file has no zod, unlike ids.ts: routes
// need it before the schemas are loaded.

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
 * Stands for the application number in an address that must not name it, or cannot yet: on the pages around a card payment,
 * which need no session, and until the server has assigned a number.
 */
export const placeholderNumber = toApplicationNumber('-')
