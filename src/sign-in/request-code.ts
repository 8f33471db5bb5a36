import type { Call } from '#api/client.ts'
import { isHandledByScreen, type Problem } from '#api/result.ts'
import type { Language } from '#contract/codes.ts'
import { asksForCaptcha } from '#contract/problems.ts'
import { type Contact, contactFields } from './pending-sign-in.ts'

/**
 * What became of asking for a code: `captcha` wants one on this page (SIG12); `wait` says in how many seconds a
 * code can be had, which no captcha makes fewer; `refused` is for the screen to say; `announced` was said for all
 * screens already.
 */
export type CodeRequestResult =
  | { kind: 'sent' }
  | { kind: 'captcha'; statusCode: number }
  | { kind: 'wait'; seconds: number }
  | { kind: 'refused' }
  | { kind: 'announced' }

/**
 * What the code is for: to sign in, to sign in by the other contact of whoever has this one, or to prove a second
 * contact of who is signed in.
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
  return seconds ? { kind: 'wait', seconds } : { kind: 'captcha', statusCode: statusCode ?? 0 }
}

function afterProblem(problem: Problem): CodeRequestResult {
  if (!isHandledByScreen(problem)) return { kind: 'announced' }
  const { statusCode } = problem
  return asksForCaptcha(statusCode) ? { kind: 'captcha', statusCode } : { kind: 'refused' }
}
