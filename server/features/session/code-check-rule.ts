import type { ProblemCode } from '#contract/problems.ts'
import type { Contact } from './contact.ts'
import { verifiedKind } from './other-contact.ts'

/** Number of wrong tries that the unexpired codes of one contact in one browser share (D21). */
export const triesPerCode = 5

/** Seconds from the first, second, … try to the next one: who mistypes once does not wait (D125). */
export const waitSeconds = [0, 2, 5, 10, 0]

/**
 * For this time after its use, a code repeats the call whose answer was lost: a sign-in, also one that got the question
 * of a dormant account (D122), a new contact or a proof of one. An answer to that question can be repeated as long.
 */
export const repeatSeconds = 60

/**
 * `triesLeft` counts only for the unexpired codes of the browser that asked for them, so it reveals nothing else.
 * `used`: this browser opened a session with the code up to a minute ago; `openedTokenHash` is that of its first refresh
 * token. `joined`: the session `sessionId` added or proved a contact with the code in this browser up to a minute ago.
 * `dormant`: up to a minute ago the code has opened the question of a dormant account, which is not answered yet (D122).
 */
export type CheckedCode =
  | { kind: 'right'; codeId: number }
  | { kind: 'used'; openedTokenHash: string }
  | { kind: 'joined'; sessionId: string }
  | { kind: 'dormant'; codeId: number; proven: Contact['kind'] }
  | RefusedCode
export type RefusedCode =
  | { kind: 'refused'; problem: ProblemCode; triesLeft: number }
  /** The last try of this browser was a moment ago. The code that is typed now was not compared and counts as no try. */
  | { kind: 'refused'; problem: 'too-many-requests'; seconds: number }

/**
 * The refusal when this browser has no code for the contact that is valid or repeats a call. Callers also use it for a
 * code that cannot be used for their call.
 */
export const noValidCode = { kind: 'refused', problem: 'code-expired', triesLeft: 0 } as const

/** One of the last two unused codes of the browser. */
export type LastCode = { id: number; isUnexpired: boolean; isRight: boolean }

/**
 * Judges a typed code by the last unused codes of the browser. `tries` includes this one. Undefined when all of them have
 * expired or there is none; the caller then checks whether the typed code was used a moment ago.
 */
export function judgeTry(codes: readonly LastCode[], tries: number): CheckedCode | undefined {
  if (!codes.some(code => code.isUnexpired)) return undefined
  const match = codes.find(code => code.isRight)
  if (match?.isUnexpired) return { kind: 'right', codeId: match.id }
  const problem = match ? 'code-expired' : 'code-wrong'
  return { kind: 'refused', problem, triesLeft: triesPerCode - tries }
}

/** Whether this try has used up the codes, so that only a new code has tries again. */
export function endsCodes(checked: CheckedCode, tries: number): boolean {
  return checked.kind === 'refused' && tries >= triesPerCode
}

/** The row of a used code: what the code has opened. */
export type JustUsed = {
  id: number
  joined_session: string | null
  opened_token: string | null
  dormant_applicant: string | null
  kind: Contact['kind']
  sent_to: string | null
}

/**
 * Returns what a right code repeats when it was used a moment ago. When the question of a dormant account was answered, the
 * code repeats the session that the answer opened.
 */
export function repeatOf(used: JustUsed): CheckedCode {
  if (used.joined_session !== null) return { kind: 'joined', sessionId: used.joined_session }
  if (used.opened_token !== null) return { kind: 'used', openedTokenHash: used.opened_token }
  if (used.dormant_applicant === null) return noValidCode
  return { kind: 'dormant', codeId: used.id, proven: verifiedKind(used) }
}
