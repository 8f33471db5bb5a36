import { routedCodes } from './routed-codes.ts'

/**
 * All failures of a call: the HTTP status, and the `statusCode` of the body, by which the specification decides what the
 * applicant sees next (D11). Where the specification names none, `statusCode` repeats the HTTP status.
 */
export const problems = {
  'captcha-needed': { http: 200, statusCode: routedCodes.captchaNeeded },
  'captcha-wrong': { http: 200, statusCode: routedCodes.captchaWrong },
  'too-many-for-contact': { http: 200, statusCode: routedCodes.tooManyForContact },
  'too-many-from-network': { http: 200, statusCode: routedCodes.tooManyFromNetwork },
  'captcha-used': { http: 200, statusCode: routedCodes.captchaUsed },
  'contact-refused': { http: 400, statusCode: 400 },
  'number-premium': { http: 400, statusCode: 400 },
  /** No code by this channel is left today for this browser; the message names the other channel (D91). */
  'sms-spent': { http: 409, statusCode: 409 },
  'email-spent': { http: 409, statusCode: 409 },
  'code-wrong': { http: 400, statusCode: routedCodes.codeWrong },
  'code-expired': { http: 400, statusCode: routedCodes.codeExpired },
  'not-signed-in': { http: 401, statusCode: 401 },
  /** The code is right, but before it no code had proven this contact for a year: `data` is a `DormantQuestion` (D122). */
  'account-dormant': { http: 409, statusCode: 409 },
  /**
   * Number and date of birth are not those of an application of the account, or no try is left: `data` is a `DormantTries`
   * (D122).
   */
  'answer-wrong': { http: 409, statusCode: 409 },
  /** The session has ended, because its account is to be deleted: the device removes what it keeps (D112). */
  'account-deleted': { http: 401, statusCode: 401 },
  /** The session must prove a contact again before this call (D70). */
  'proof-needed': { http: 409, statusCode: 409 },
  forbidden: { http: 403, statusCode: 403 },
  'not-found': { http: 404, statusCode: 404 },
  'wrong-state': { http: 409, statusCode: 409 },
  /** Another save came after `baseVersion`: `data` is the server's form, an `ApplicationData` (D14). */
  'stale-version': { http: 409, statusCode: 409 },
  /**
   * The first call with this key has not ended; or the server takes no incomplete form because an order is open, and
   * `data.paymentId` is the id of its payment. The same call may be sent again later (D13, D14).
   */
  'in-flight': { http: 409, statusCode: 409 },
  'too-large': { http: 413, statusCode: 413 },
  'unsupported-type': { http: 415, statusCode: 415 },
  invalid: { http: 422, statusCode: 422 },
  /** The key belongs to a call with another content (D13). */
  'key-reused': { http: 422, statusCode: 422 },
  'too-many-requests': { http: 429, statusCode: 429 },
  'order-not-created': { http: 400, statusCode: 400 },
  'method-unavailable': { http: 409, statusCode: 409 },
  /** Another payment is open or paid: `data.paymentId` is its id. */
  'payment-open': { http: 409, statusCode: 409 },
  /** The same payer was just asked for the same amount: `data.seconds` is the time to wait. */
  'payment-too-soon': { http: 409, statusCode: 409 },
  /** The application has had as many payment orders as one may have in a day, or in all (D97). */
  'payment-attempts': { http: 409, statusCode: 409 },
  /** The number that pays has had as many unpaid orders as one may have in a day (D97). */
  'payment-number-attempts': { http: 409, statusCode: 409 },
  /** The payer has entered as many codes for the payment as one may have (D96). */
  'payment-codes': { http: 409, statusCode: 409 },
  /** An open order may still take money: `data` is a `CancelRefusal`. */
  'payment-not-cancelable': { http: 409, statusCode: 409 },
  'payer-name-invalid': { http: 400, statusCode: routedCodes.payerName },
  'payment-code-wrong': { http: 400, statusCode: routedCodes.codeWrong },
  'payment-code-expired': { http: 400, statusCode: routedCodes.codeExpired },
  'time-taken': { http: 400, statusCode: routedCodes.timeTaken },
  'time-needed': { http: 400, statusCode: routedCodes.timeTaken },
  /** The code of the office is wrong: the device stays a kiosk (D38). */
  'kiosk-code-wrong': { http: 409, statusCode: 409 },
  'change-refused': { http: 409, statusCode: 409 },
  /** The server has done nothing for this call, because it has too many others: the same call may be sent again. */
  busy: { http: 503, statusCode: 503 },
  unavailable: { http: 503, statusCode: 503 },
  unexpected: { http: 500, statusCode: 500 },
} as const satisfies Record<string, { http: number; statusCode: number }>

export type ProblemCode = keyof typeof problems
