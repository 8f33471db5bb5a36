import type { Value } from '#api/client.ts'
import { isHandledByScreen, type Problem, type Result } from '#api/result.ts'
import { type Language, resumeStorageKey } from '#contract/codes.ts'
import type { ProblemCode } from '#contract/problems.ts'
import { routedCodes } from '#contract/routed-codes.ts'
import type { MessageKey } from '#i18n/intl.ts'
import type { Tone } from '#app/notices.ts'
import type { Services } from '#app/services.ts'
import { signInFailure } from './use-code-request.ts'
import { type Contact, contactFields, savePendingSignIn } from './pending-sign-in.ts'

export type SignInNotice = [tone: Tone, message: { key: MessageKey }]

/** A wrong code. Tries left: more than one or an unknown number, one, or none. */
export type WrongCode = 'wrong' | 'lastTry' | 'spent'

export type SignInOutcome =
  /** `isLeft`: another page was open when the answer came (D137). */
  | { kind: 'signed-in'; notice: SignInNotice; isLeft: boolean }
  | { kind: WrongCode; notice: SignInNotice }
  /** `spent`: this browser has no other valid code of this contact. */
  | { kind: 'expired'; spent: boolean; notice: SignInNotice }
  /** The code is right, but no code had proven this contact for a year. `question`: a `DormantQuestion` (D122). */
  | { kind: 'dormant'; question: unknown; notice?: undefined }
  /**
   * The sign-in opened no session, or has ended it at once. Without a notice the portal has already shown one or opened
   * the welcome page (API36), the session of this page has ended during the sign-in, or the applicant has left.
   */
  | { kind: 'stay'; notice: SignInNotice | undefined }

type Parts = Pick<Services, 'session'> & {
  deviceUse: Pick<Services['deviceUse'], 'isShared'>
  navigation: Pick<Services['navigation'], 'pathname' | 'watchLeaving'>
}

/** Opens a session with a one-time code (OTP08, ERR01, ERR02). */
export async function signIn(
  services: Parts & Pick<Services, 'call'>,
  { contact, otp, language }: { contact: Contact; otp: string; language: Language },
): Promise<SignInOutcome> {
  const body = { ...contactFields(contact), otp }
  return openSession(
    services,
    () => services.call('login', { query: { lg: language }, body }),
    problem => afterProblem(problem, contact),
  )
}

/**
 * Sends a call whose answer is a session, and begins the session. On a shared device it stays closed, or ends at once, when the
 * applicant has left the page before it is open: the next person may be there.
 */
export async function openSession<Failed>(
  { deviceUse, navigation, session }: Parts,
  request: () => Promise<Result<Value<'login'>>>,
  onProblem: (problem: Problem) => Failed,
): Promise<Failed | Extract<SignInOutcome, { kind: 'signed-in' | 'stay' }>> {
  const release = session.holdForSignIn()
  const hasEnded = session.watchEnd()
  const began = navigation.pathname()
  const hasLeft = navigation.watchLeaving()
  const isOver = () => hasEnded() || (hasLeft() && deviceUse.isShared())
  try {
    const result = await request()
    if (!result.ok) return onProblem(result.problem)
    const isLeft = navigation.pathname() !== began
    if (!isOver() && (await session.begin(result.value.data))) {
      // The sign-in may have ended the session of an earlier applicant: then `hasEnded()` is true. In this case the portal has
      // opened another page, and the applicant has not left.
      if (!isOver() || hasEnded())
        return { kind: 'signed-in', notice: ['success', { key: 'notice.welcome' }], isLeft }
      // The reason is not 'asked': a log-out with that reason could ask the next person about the drafts of this
      // applicant. Not awaited: only after `release` can the log-out send its request.
      void session.logOut('inactivity')
      return { kind: 'stay', notice: undefined }
    }
    if (!isOver()) return { kind: 'stay', notice: ['warning', { key: 'notice.generic' }] }
    // "Finish and erase" was pressed during the sign-in, another tab has logged out, or the page was left. The server may have
    // answered an earlier log-out already, so the new session needs one too.
    session.markPendingLogout()
    return { kind: 'stay', notice: undefined }
  } finally {
    release()
  }
}

/** Reads how many tries are left. Another back end may not send `triesLeft`: then the code is only wrong. */
export function describeWrongCode(data: unknown): WrongCode {
  const triesLeft =
    typeof data === 'object' && data !== null && 'triesLeft' in data ? data.triesLeft : undefined
  if (triesLeft === 0) return 'spent'
  return triesLeft === 1 ? 'lastTry' : 'wrong'
}

function afterProblem(problem: Problem, { method }: Contact): SignInOutcome {
  if (!isHandledByScreen(problem)) return { kind: 'stay', notice: undefined }
  if (problem.reason === ('account-dormant' satisfies ProblemCode))
    return { kind: 'dormant', question: problem.data }
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

/**
 * Leaves the sign-in pages after a sign-in: opens the form that another device has handed over (D38), or the list. An applicant
 * who has opened another page since (`isLeft`) stays there (D137).
 */
export async function leaveSignIn(services: Services, { isLeft }: { isLeft: boolean }): Promise<void> {
  const { device, navigation } = services
  savePendingSignIn(services, undefined)
  const destination = device.readTabText(resumeStorageKey)
  device.saveTabText(resumeStorageKey, undefined)
  if (!isLeft) await navigation.go(destination ?? '/procedure', { replace: true })
}
