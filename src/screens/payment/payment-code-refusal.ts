import { isHandledByScreen, type Problem, wrongStateReason } from '#api/result.ts'
import { issueCodes } from '#contract/issues.ts'
import { routedCodes } from '#contract/routed-codes.ts'
import { issueKey } from '#i18n/issue-text.ts'
import type { NoticeMessage } from '#app/notices.ts'

/**
 * How the screen reacts to a refused code (ERR18). `announced`: the screen has nothing to show, because the portal
 * handles this problem for all screens (API36), or the applicant has left the page before the call was sent (D137).
 */
export type CodeRefusal =
  | { kind: 'announced' }
  | { kind: 'refused'; message: NoticeMessage; next: 'type-again' | 'pay-again' | 'show-result' }

export function codeRefusal(problem: Problem): CodeRefusal {
  if (!isHandledByScreen(problem)) return { kind: 'announced' }
  return {
    kind: 'refused',
    message: noticeOf(firstMessage(problem)),
    next: nextAfter(problem),
  }
}

function nextAfter({ reason, statusCode }: Extract<Problem, { kind: 'refused' }>) {
  // The payment has ended, or an earlier try, another page or another device has already sent its code (D129).
  if (reason === wrongStateReason) return 'show-result'
  return statusCode === routedCodes.codeExpired ? 'pay-again' : 'type-again'
}

/** Replaces an issue code of the contract by its message; the server may send a code instead of a sentence. */
function noticeOf(text: string | undefined): NoticeMessage {
  const code = issueCodes.find(known => known === text)
  if (code !== undefined) return { key: issueKey(code) }
  return text === undefined ? { key: 'notice.generic' } : { text }
}

/** The server sends a list of texts, a list of objects with a text, or one text (S41). */
function firstMessage({ errors, message }: Extract<Problem, { kind: 'refused' }>): string | undefined {
  const [first] = errors
  const listed = typeof first === 'string' ? first : first?.message
  return [listed, message].find(text => text !== undefined && text.trim() !== '')
}
