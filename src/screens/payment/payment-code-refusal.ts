import { isHandledByScreen, type Problem } from '#api/result.ts'
import { issueCodes } from '#contract/issues.ts'
import { routedCodes } from '#contract/problems.ts'
import { issueKey } from '#i18n/issue-words.ts'
import type { NoticeWords } from '#app/notices.ts'

/** What a code that was not taken calls for (ERR18); `announced` was said where every call is watched. */
export type CodeRefusal = { kind: 'announced' } | { kind: 'refused'; words: NoticeWords; startAgain: boolean }

export function codeRefusal(problem: Problem): CodeRefusal {
  if (!isHandledByScreen(problem)) return { kind: 'announced' }
  return {
    kind: 'refused',
    words: wordsOf(firstMessage(problem)),
    startAgain: problem.statusCode === routedCodes.codeExpired,
  }
}

/** A field that was refused is named by a code of ours, which is no sentence. */
function wordsOf(text: string | undefined): NoticeWords {
  const code = issueCodes.find(known => known === text)
  if (code !== undefined) return { key: issueKey(code) }
  return text === undefined ? { key: 'notice.generic' } : { text }
}

/** The payment error list is a list of sentences or of objects with one, or a single sentence (S41). */
function firstMessage({ errors, message }: Extract<Problem, { kind: 'refused' }>): string | undefined {
  const [first] = errors
  const listed = typeof first === 'string' ? first : first?.message
  return [listed, message].find(text => text !== undefined && text.trim() !== '')
}
