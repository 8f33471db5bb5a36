import { type IssueCode, toIssueCode } from '#contract/issues.ts'
import type { MessageKey, Translate } from './intl.ts'

/** Returns the catalogue key of an issue. A new issue code without a message does not compile. */
export function issueKey(code: IssueCode): MessageKey {
  return `issue.${code}`
}

/** Returns the text below a field for a validator's message; undefined when there is no message. */
export function issueText(t: Translate, message: string | undefined): string | undefined {
  return message === undefined || message === '' ? undefined : t(issueKey(toIssueCode(message)))
}
