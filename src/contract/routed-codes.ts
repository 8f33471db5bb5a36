/**
 * The values of `statusCode` in a body that the specification uses for routing, in addition to the HTTP status (D11).
 * A file of its own: the first script of the portal needs these numbers, but not the table of all problems.
 */
export const routedCodes = {
  /** The code of a sign-in or of a payment. */
  codeWrong: 1,
  codeExpired: 2,
  captchaNeeded: 3,
  captchaWrong: 8,
  tooManyForContact: 9,
  tooManyFromNetwork: 11,
  captchaUsed: 12,
  timeTaken: 13,
  payerName: 17,
} as const

/** The codes of a sign-in answer that ask for a captcha on the page (SIG12); their meanings are in D20. */
const captchaCodes: readonly number[] = [
  routedCodes.captchaNeeded,
  routedCodes.captchaWrong,
  routedCodes.tooManyForContact,
  routedCodes.tooManyFromNetwork,
  routedCodes.captchaUsed,
]

export function asksForCaptcha(statusCode: number): boolean {
  return captchaCodes.includes(statusCode)
}

/**
 * True for HTTP statuses that a rule for all screens handles: most of them lead to the sign-in pages; a 429 of the service may
 * leave the applicant on the screen (ERR12, S83, D97).
 */
export function isHandledForAllScreens(status: number): boolean {
  return status === 401 || status === 403 || status === 429
}
