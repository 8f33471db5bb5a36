import type { Call } from '#api/client.ts'
import { isHandledByScreen, type Problem } from '#api/result.ts'
import type { Language } from '#contract/codes.ts'
import { asksForCaptcha, routedCodes } from '#contract/problems.ts'
import { type Contact, contactFields } from './pending-sign-in.ts'

/**
 * The result of a code request:
 * - `captcha`: the server demands a captcha on this page (SIG12);
 * - `wait`: the server sends the next code after so many seconds, and no captcha shortens this;
 * - `refused`: the screen must show the reason;
 * - `announced`: the portal has already shown a notice.
 */
export type CodeRequestResult =
  | { kind: 'sent' }
  | { kind: 'captcha'; statusCode: number }
  | { kind: 'wait'; seconds: number }
  | { kind: 'refused' }
  | { kind: 'announced' }

/**
 * Purpose of the code: sign in, sign in through the other contact of the same applicant, or verify a second contact of
 * the signed-in applicant.
 */
export type CodePurpose = 'auth' | 'otherChannel' | 'addContact'

type CodeQuestion = { contact: Contact; captchaAnswer: string; language: Language; purpose?: CodePurpose }

export async function askForCode(call: Call, question: CodeQuestion): Promise<CodeRequestResult> {
  const { contact, captchaAnswer, language, purpose = 'auth' } = question
  const query = { lg: language }
  const body = { ...contactFields(contact), gRecaptchaResponse: captchaAnswer }
  const result =
    purpose === 'addContact'
      ? await call('addContact', { query, body })
      : await call('auth', {
          query,
          body: { ...body, ...(purpose === 'otherChannel' && { otherChannel: true }) },
        })
  if (!result.ok) return afterProblem(result.problem)
  const { statusCode, seconds } = result.value.data
  if (!asksForCaptcha(statusCode ?? 0)) return { kind: 'sent' }
  return statusCode === routedCodes.tooManyForContact && seconds
    ? { kind: 'wait', seconds }
    : { kind: 'captcha', statusCode: statusCode ?? 0 }
}

function afterProblem(problem: Problem): CodeRequestResult {
  if (!isHandledByScreen(problem)) return { kind: 'announced' }
  const { statusCode } = problem
  return asksForCaptcha(statusCode) ? { kind: 'captcha', statusCode } : { kind: 'refused' }
}
