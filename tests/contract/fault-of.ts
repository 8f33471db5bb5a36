import { type FieldName, findIssues, type FormValues, type RuleContext } from '#contract/application.ts'
import type { IssueCode } from '#contract/issues.ts'

/** The day the tests live on; nothing is proven by sign-in unless a test says so. */
export const today = '2026-06-15'
export const unlocked: RuleContext = { today, locked: { phoneNumber: false, email: false } }

/** What is wrong with one field of a form; undefined while nothing is. */
export function faultOf(
  field: FieldName,
  form: FormValues,
  context: RuleContext = unlocked,
): IssueCode | undefined {
  return findIssues(form, context).find(issue => issue.field === field)?.code
}

/** As many letters as that; an accented one counts as one. */
export function letters(count: number): string {
  return 'é'.repeat(count)
}
