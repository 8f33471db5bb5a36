import type { Call, Value } from '#api/client.ts'
import { isHandledByScreen, type Problem, type Result } from '#api/result.ts'
import type { Language } from '#contract/codes.ts'
import { asksForCaptcha, isCodeOfSuccess, routedCodes } from '#contract/routed-codes.ts'
import { type Contact, contactFields } from './pending-sign-in.ts'

/**
 * The result of a code request. `message`: the server's text, which the screen shows instead of its own.
 * - `captcha`: the server demands a captcha on this page (SIG12), which shows `message` too (S35). `work`: how hard
 *   its puzzle is;
 * - `wait`: the server sends the next code only after these seconds, and no captcha shortens them;
 * - `refused`: the screen must show the reason;
 * - `announced`: the screen has nothing to show: the portal has shown a notice or opened the welcome page (API36), the
 *   function that requests the code has handled the refusal, or the applicant has left or pressed Cancel (D137).
 */
export type CodeRequestResult =
  | { kind: 'sent'; message?: string | null | undefined }
  | { kind: 'captcha'; statusCode: number; message?: string | null | undefined; work?: number | undefined }
  | { kind: 'wait'; seconds: number }
  | { kind: 'refused'; message?: string | undefined }
  | { kind: 'announced' }

/**
 * Which call requests the code. `auth` is for a sign-in, `otherChannel` for a sign-in through the other contact of the
 * same applicant. Any other call is a function, because the sign-in pages do not load its program code. The function resolves
 * to undefined when it has handled a refusal.
 */
export type CodeRequestCall = 'auth' | 'otherChannel' | AskCode
type AskCode = (request: {
  query: { lg: Language }
  body: { msisdn: string; email: string; gRecaptchaResponse: string }
}) => Promise<Result<Value<'auth'>> | undefined>

type CodeQuestion = { contact: Contact; captchaAnswer: string; language: Language; purpose?: CodeRequestCall }

/** Requests a one-time code for a contact. */
export async function askForCode(call: Call, question: CodeQuestion): Promise<CodeRequestResult> {
  const { contact, captchaAnswer, language, purpose = 'auth' } = question
  const query = { lg: language }
  const body = { ...contactFields(contact), gRecaptchaResponse: captchaAnswer }
  const result = await (typeof purpose === 'function'
    ? purpose({ query, body })
    : call('auth', { query, body: { ...body, ...(purpose === 'otherChannel' && { otherChannel: true }) } }))
  if (!result) return { kind: 'announced' }
  if (!result.ok) return afterProblem(result.problem)
  const { data } = result.value
  const { seconds, work, message } = data
  const statusCode = data.statusCode ?? 0
  if (isCodeOfSuccess(statusCode)) return { kind: 'sent', message }
  if (!asksForCaptcha(statusCode)) return { kind: 'refused' }
  return statusCode === routedCodes.tooManyForContact && seconds
    ? { kind: 'wait', seconds }
    : { kind: 'captcha', statusCode, message, work }
}

function afterProblem(problem: Problem): CodeRequestResult {
  if (!isHandledByScreen(problem)) return { kind: 'announced' }
  const { statusCode, reason, message } = problem
  if (asksForCaptcha(statusCode)) return { kind: 'captcha', statusCode, message }
  return { kind: 'refused', message: reasonsToTell.includes(reason ?? '') ? message : undefined }
}

/**
 * The refusals whose message the screen shows: no code by this channel is left today for this browser, and the message
 * names the other channel (D91); or the server sends no code to a premium number (D109).
 */
const reasonsToTell = ['sms-spent', 'email-spent', 'number-premium']
