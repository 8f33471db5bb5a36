import { isHandledByScreen, type Problem } from '#api/result.ts'
import type { Language } from '#contract/codes.ts'
import { routedCodes } from '#contract/problems.ts'
import type { MessageKey } from '#i18n/intl.ts'
import type { Tone } from '#app/notices.ts'
import type { Services } from '#app/services.ts'
import { signInFailure } from './code-request.ts'
import { type Contact, contactFields } from './pending-sign-in.ts'

export type SignInNotice = [tone: Tone, words: { key: MessageKey }]

/** A code that was not the right one: whether a try is left, or this was the last. */
export type WrongCode = 'wrong' | 'lastTry' | 'spent'

export type SignInOutcome =
  | { kind: 'signed-in'; notice: SignInNotice }
  | { kind: WrongCode; notice: SignInNotice }
  /** `spent`: no other code is alive either. */
  | { kind: 'expired'; spent: boolean; notice: SignInNotice }
  /** The code can be tried again here; what went wrong may have been said for all screens already. */
  | { kind: 'stay'; notice: SignInNotice | undefined }

/** Opens a session with a one-time code (OTP08, ERR01, ERR02). */
export async function signIn(
  { call, session }: Pick<Services, 'call' | 'session'>,
  { contact, otp, language }: { contact: Contact; otp: string; language: Language },
): Promise<SignInOutcome> {
  session.abortPendingLogout()
  const result = await call('login', { query: { lg: language }, body: { ...contactFields(contact), otp } })
  if (!result.ok) return afterProblem(result.problem, contact)
  if (await session.begin(result.value.data))
    return { kind: 'signed-in', notice: ['success', { key: 'notice.welcome' }] }
  return { kind: 'stay', notice: ['warning', { key: 'notice.generic' }] }
}

/** Another service than ours does not count the tries aloud. */
export function describeWrongCode(data: unknown): WrongCode {
  const left = typeof data === 'object' && data !== null && 'triesLeft' in data ? data.triesLeft : undefined
  if (left === 0) return 'spent'
  return left === 1 ? 'lastTry' : 'wrong'
}

function afterProblem(problem: Problem, { method }: Contact): SignInOutcome {
  if (!isHandledByScreen(problem)) return { kind: 'stay', notice: undefined }
  switch (problem.statusCode) {
    case routedCodes.codeWrong:
      return { kind: describeWrongCode(problem.data), notice: ['warning', { key: 'notice.codeWrong' }] }
    case routedCodes.codeExpired:
      return {
        kind: 'expired',
        spent: describeWrongCode(problem.data) === 'spent',
        notice: ['warning', { key: 'notice.codeExpired' }],
      }
    default:
      return { kind: 'stay', notice: signInFailure(method) }
  }
}
