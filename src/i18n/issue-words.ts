import { type IssueCode, toIssueCode } from '#contract/issues.ts'
import type { MessageKey, Translate } from './intl.ts'

/** Every issue has its words; a new code without them does not compile. */
export function issueKey(code: IssueCode): MessageKey {
  return `issue.${code}`
}

/** The words under a field for a validator's message, or undefined while there is none. */
export function issueText(t: Translate, message: string | undefined): string | undefined {
  return message === undefined || message === '' ? undefined : t(issueKey(toIssueCode(message)))
}
