import { isHandledByScreen, type Problem } from '#api/result.ts'
import type { Language } from '#contract/codes.ts'
import type { ProblemCode } from '#contract/problems.ts'
import { routedCodes } from '#contract/routed-codes.ts'
import type { Services } from '#app/services.ts'
import { type Contact, contactFields } from './pending-sign-in.ts'
import { describeWrongCode, type SignInNotice, type WrongCode } from './sign-in.ts'

/**
 * `proof-needed`: the applicant must prove the other contact again (D70). `start-again`: the applicant needs a new code or
 * another contact. `stay`: it is unknown whether the code was right, or the session did not take the new token. After `stay`,
 * `wrong` and `lastTry` the applicant can enter a code again, unless the session has ended.
 */
export type ContactOutcome = {
  kind: 'added' | 'start-again' | 'proof-needed' | 'stay' | WrongCode
  notice: SignInNotice | undefined
}

type ConfirmParts = { contact: Contact; otp: string; language: Language; isWanted?: () => boolean }

/**
 * Adds a verified contact to the signed-in applicant. The new token contains both contacts. Once `isWanted` returns false, the
 * client neither sends the code nor sends it again.
 */
export async function confirmContact(
  { call, session }: Pick<Services, 'call' | 'session'>,
  { contact, otp, language, isWanted }: ConfirmParts,
): Promise<ContactOutcome> {
  const hasEnded = session.watchEnd()
  const body = { ...contactFields(contact), otp }
  const result = await call('confirmContact', { query: { lg: language }, body }, { isWanted })
  if (!result.ok) return afterProblem(result.problem)
  if (!hasEnded() && (await session.takeToken(result.value.data)))
    return { kind: 'added', notice: ['success', { key: 'notice.contactAdded' }] }
  if (!hasEnded()) return { kind: 'stay', notice: ['warning', { key: 'notice.generic' }] }
  // The end of the session has shown its own notice. If a log-out has ended it, perhaps in another tab, the request of
  // the log-out may have failed: then the browser still has the cookie of the session.
  session.markPendingLogout()
  return { kind: 'stay', notice: undefined }
}

/** Whether the applicant must first prove again a contact that the account already has (D70). */
export function isProofNeeded(problem: Problem): boolean {
  return problem.kind === 'refused' && problem.reason === ('proof-needed' satisfies ProblemCode)
}

function afterProblem(problem: Problem): ContactOutcome {
  if (!isHandledByScreen(problem)) return { kind: 'stay', notice: undefined }
  if (isProofNeeded(problem)) return { kind: 'proof-needed', notice: undefined }
  switch (problem.statusCode) {
    case routedCodes.codeWrong: {
      const kind = describeWrongCode(problem.data)
      return { kind, notice: ['warning', { key: kind === 'spent' ? 'password.spent' : 'notice.codeWrong' }] }
    }
    case routedCodes.codeExpired:
      return { kind: 'start-again', notice: ['warning', { key: 'notice.codeExpired' }] }
    default:
      return { kind: 'start-again', notice: ['warning', { key: 'notice.contactRefused' }] }
  }
}
