/**
 * Everything a call can be refused with: the HTTP status, and the statusCode of the body by which the
 * specification routes (D11). Where the specification names none, statusCode repeats the HTTP status.
 */
export const problems = {
  'captcha-needed': { http: 200, statusCode: 3 },
  'captcha-wrong': { http: 200, statusCode: 8 },
  'too-many-for-contact': { http: 200, statusCode: 9 },
  'too-many-from-network': { http: 200, statusCode: 11 },
  'captcha-used': { http: 200, statusCode: 12 },
  'contact-refused': { http: 400, statusCode: 400 },
  'code-wrong': { http: 400, statusCode: 1 },
  'code-expired': { http: 400, statusCode: 2 },
  'not-signed-in': { http: 401, statusCode: 401 },
  forbidden: { http: 403, statusCode: 403 },
  'not-found': { http: 404, statusCode: 404 },
  'wrong-state': { http: 409, statusCode: 409 },
  'stale-version': { http: 409, statusCode: 409 },
  'in-flight': { http: 409, statusCode: 409 },
  'too-large': { http: 413, statusCode: 413 },
  'unsupported-type': { http: 415, statusCode: 415 },
  invalid: { http: 422, statusCode: 422 },
  'key-reused': { http: 422, statusCode: 422 },
  'too-many-requests': { http: 429, statusCode: 429 },
  'order-not-created': { http: 400, statusCode: 400 },
  'method-unavailable': { http: 409, statusCode: 409 },
  /** Another payment is open, or was made: `data.paymentId` names it. */
  'payment-open': { http: 409, statusCode: 409 },
  /** The same number was asked for the same amount a moment ago: `data.seconds` says how long to wait. */
  'payment-too-soon': { http: 409, statusCode: 409 },
  'payer-name-invalid': { http: 400, statusCode: 17 },
  'payment-code-wrong': { http: 400, statusCode: 1 },
  'payment-code-expired': { http: 400, statusCode: 2 },
  'time-taken': { http: 400, statusCode: 13 },
  'time-needed': { http: 400, statusCode: 13 },
  'change-refused': { http: 409, statusCode: 409 },
  unavailable: { http: 503, statusCode: 503 },
  unexpected: { http: 500, statusCode: 500 },
} as const satisfies Record<string, { http: number; statusCode: number }>

export type ProblemCode = keyof typeof problems

/** The codes that the specification routes by, beside the HTTP status. */
export const routedCodes = {
  codeWrong: problems['code-wrong'].statusCode,
  codeExpired: problems['code-expired'].statusCode,
  timeTaken: problems['time-taken'].statusCode,
  payerName: problems['payer-name-invalid'].statusCode,
} as const

/** Refusals that send the browser to the sign-in pages whatever the screen is (ERR12, S83). */
export function isHandledByRedirect(status: number): boolean {
  return status === 401 || status === 403 || status === 429
}
