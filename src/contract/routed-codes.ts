/**
 * The values of `statusCode` in a body by which the specification decides what the applicant sees next, in addition to the
 * HTTP status (D11).
 * A file of its own: the first script of the portal needs these numbers, but not the table of all problems.
 */
export const routedCodes = {
  /** A code is wrong, for example the one-time code of a sign-in or of a payment. */
  codeWrong: 1,
  /** Such a code has expired. */
  codeExpired: 2,
  captchaNeeded: 3,
  captchaWrong: 8,
  tooManyForContact: 9,
  tooManyFromNetwork: 11,
  captchaUsed: 12,
  /** The time of the appointment has no free place, or the call names no time. */
  timeTaken: 13,
  /** The name of the payer is not valid. */
  payerName: 17,
} as const

/**
 * The numbers in the answer to a code request that ask for a captcha on the page (SIG12, D20). `tooManyForContact` with
 * `seconds` asks for no captcha: the page counts these seconds down.
 */
const captchaCodes: readonly number[] = [
  routedCodes.captchaNeeded,
  routedCodes.captchaWrong,
  routedCodes.tooManyForContact,
  routedCodes.tooManyFromNetwork,
  routedCodes.captchaUsed,
]

/** True for 0, and for a status of success, which another back end may repeat in the body (S36, D11). */
export function isCodeOfSuccess(statusCode: number): boolean {
  return statusCode === 0 || Math.floor(statusCode / 100) === 2
}

export function asksForCaptcha(statusCode: number): boolean {
  return captchaCodes.includes(statusCode)
}

/**
 * True for HTTP statuses that a rule for all screens handles: most of them open the welcome page; after a 429 with the reason
 * `too-many-requests` the applicant stays on the screen (ERR12, S83, D97).
 */
export function isHandledForAllScreens(status: number): boolean {
  return status === 401 || status === 403 || status === 429
}
