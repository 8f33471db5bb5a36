import { isForTheScreen, type Problem } from '#api/result.ts'
import type { Language } from '#contract/codes.ts'
import { routedCodes } from '#contract/problems.ts'
import type { MessageKey } from '#i18n/intl.ts'
import type { Tone } from '#portal/notices.ts'
import type { Services } from '#portal/services.ts'
import { signInFailure } from './code-request.ts'
import { type Contact, contactFields } from './pending-sign-in.ts'

export type Said = [tone: Tone, words: { key: MessageKey }]

/** A code that was not the right one: whether a try is left, or this was the last. */
export type WrongCode = 'wrong' | 'lastTry' | 'spent'

export type SignInOutcome =
  | { kind: 'signed-in'; notice: Said }
  | { kind: WrongCode; notice: Said }
  /** `spent`: no other code is alive either. */
  | { kind: 'expired'; spent: boolean; notice: Said }
  /** The code can be tried again here; what went wrong may have been said for all screens already. */
  | { kind: 'stay'; notice: Said | undefined }

/** Opens a session with a one-time code (OTP08, ERR01, ERR02). */
export async function signIn(
  { call, session }: Pick<Services, 'call' | 'session'>,
  { contact, otp, language }: { contact: Contact; otp: string; language: Language },
): Promise<SignInOutcome> {
  session.giveWay()
  const result = await call('login', { query: { lg: language }, body: { ...contactFields(contact), otp } })
  if (!result.ok) return afterProblem(result.problem, contact)
  if (await session.begin(result.value.data))
    return { kind: 'signed-in', notice: ['success', { key: 'notice.welcome' }] }
  return { kind: 'stay', notice: ['warning', { key: 'notice.generic' }] }
}

/** Another service than ours does not count the tries aloud. */
export function judgeWrongCode(data: unknown): WrongCode {
  const left = typeof data === 'object' && data !== null && 'triesLeft' in data ? data.triesLeft : undefined
  if (left === 0) return 'spent'
  return left === 1 ? 'lastTry' : 'wrong'
}

function afterProblem(problem: Problem, { method }: Contact): SignInOutcome {
  if (!isForTheScreen(problem)) return { kind: 'stay', notice: undefined }
  switch (problem.statusCode) {
    case routedCodes.codeWrong:
      return { kind: judgeWrongCode(problem.data), notice: ['warning', { key: 'notice.codeWrong' }] }
    case routedCodes.codeExpired:
      return {
        kind: 'expired',
        spent: judgeWrongCode(problem.data) === 'spent',
        notice: ['warning', { key: 'notice.codeExpired' }],
      }
    default:
      return { kind: 'stay', notice: signInFailure(method) }
  }
}
