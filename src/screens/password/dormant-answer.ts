import { isHandledByScreen, type Problem } from '#api/result.ts'
import { type DormantAnswer, DormantTries } from '#contract/dormant.ts'
import type { Language } from '#contract/codes.ts'
import type { ProblemCode } from '#contract/problems.ts'
import { routedCodes } from '#contract/routed-codes.ts'
import type { Services } from '#app/services.ts'
import type { BackButton } from '#sign-in/continue-row.tsx'
import {
  describeWrongCode,
  leaveSignIn,
  openSession,
  type SignInOutcome,
  type WrongCode,
} from '#sign-in/sign-in.ts'

/** What every way to answer needs. `onExpired`: the applicant needs a new code, which opens the question again. */
export type DormantStep = { ticket: string; back: BackButton; onExpired: () => void }

/**
 * `left`: the applicant is signed in, and another page opens or is open already. `wrong-answer`: no application of the
 * account has this application number and this date of birth, or no try is left. `stay`: the call failed for another
 * reason, or opened no session.
 */
export type DormantOutcome =
  | { kind: 'left' | 'expired' | 'stay' }
  | { kind: 'wrong-answer'; tries: DormantTries }
  | { kind: 'wrong-code'; fault: WrongCode }

type AnswerParts = {
  ticket: string
  answer: DormantAnswer
  language: Language
  isWanted?: () => boolean
}

type Stay = Extract<SignInOutcome, { kind: 'stay' }>

/**
 * Sends an answer. With the right one the applicant is signed in and leaves the page. Once `isWanted` returns false, the client
 * neither sends the answer nor sends it again to a busy server.
 */
export async function answerDormant(
  services: Services,
  { ticket, answer, language, isWanted }: AnswerParts,
): Promise<DormantOutcome> {
  const outcome = await openSession(
    services,
    () => services.call('answerDormant', { query: { lg: language }, body: { ticket, answer } }, { isWanted }),
    afterProblem,
  )
  if (!('notice' in outcome)) return outcome
  if (outcome.notice) services.notices.raise(...outcome.notice)
  if (outcome.kind === 'stay') return { kind: 'stay' }
  await leaveSignIn(services, outcome)
  return { kind: 'left' }
}

function afterProblem(problem: Problem): DormantOutcome | Stay {
  if (!isHandledByScreen(problem)) return { kind: 'stay' }
  if (problem.reason === ('answer-wrong' satisfies ProblemCode))
    return { kind: 'wrong-answer', tries: DormantTries.safeParse(problem.data).data ?? { triesLeft: 0 } }
  if (problem.statusCode === routedCodes.codeWrong)
    return { kind: 'wrong-code', fault: describeWrongCode(problem.data) }
  if (problem.statusCode === routedCodes.codeExpired) return { kind: 'expired' }
  return { kind: 'stay', notice: ['warning', { key: 'notice.generic' }] }
}
