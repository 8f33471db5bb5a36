import { isForTheScreen, type Problem } from '#api/result.ts'
import { routedCodes } from '#contract/problems.ts'
import type { NoticeWords } from '#portal/notices.ts'

/** What a code that was not taken calls for (ERR18); `announced` was said where every call is watched. */
export type CodeRefusal = { kind: 'announced' } | { kind: 'refused'; words: NoticeWords; startAgain: boolean }

export function codeRefusal(problem: Problem): CodeRefusal {
  if (!isForTheScreen(problem)) return { kind: 'announced' }
  const text = firstMessage(problem)
  return {
    kind: 'refused',
    words: text === undefined ? { key: 'notice.generic' } : { text },
    startAgain: problem.statusCode === routedCodes.codeExpired,
  }
}

/** The payment error list is a list of sentences or of objects with one, or a single sentence (S41). */
function firstMessage({ errors, message }: Extract<Problem, { kind: 'refused' }>): string | undefined {
  const [first] = errors
  const listed = typeof first === 'string' ? first : first?.message
  return [listed, message].find(text => text !== undefined && text.trim() !== '')
}
