import type { FieldErrors, Resolver } from 'react-hook-form'
import {
  type FieldName,
  fieldNames,
  fieldsOfTab,
  findIssues,
  type FormValues,
  type RuleContext,
  type Tab,
  tabs,
} from '#contract/application.ts'
import type { Issue } from '#contract/issues.ts'
import type { VerifiedFields } from '#contract/person.ts'
import type { Services } from '#app/services.ts'
import { today } from '#summary/today.ts'
import type { FormMethods } from './form-hooks.ts'

/**
 * Returns a function that gives the current context of the rules. `verified`: says which contacts of the form are
 * verified now. The day may change while the form is open. To compute it at each validation is slow, so the function
 * caches the day for 5 s.
 */
export function createRuleContext(services: Services, verified: () => VerifiedFields): () => RuleContext {
  let cached = { at: -Infinity, day: '' }
  return () => {
    const now = services.device.now()
    if (Math.abs(now - cached.at) > 5_000) cached = { at: now, day: today(services) }
    return { today: cached.day, verified: verified() }
  }
}

/** The rules of the contract as a resolver of React Hook Form. The message of an error is the issue code. */
export function createResolver(context: () => RuleContext): Resolver<FormValues> {
  return values => {
    const issues = findIssues(values, context())
    return issues.length === 0 ? { values, errors: {} } : { values: {}, errors: toErrors(issues) }
  }
}

/** Type of a form error that the server reported. */
export const serverErrorType = 'server'

/**
 * Updates the shown errors of all fields: a change of one answer can make another answer valid or invalid. A field
 * that the applicant has not touched gets no message (FRM11). `changed`: the fields that changed since the last update.
 */
export function updateShownErrors(
  form: FormMethods,
  issues: readonly Issue<FieldName>[],
  changed: ReadonlySet<FieldName>,
): void {
  const codes = new Map(issues.map(({ field, code }) => [field, code]))
  for (const name of fieldNames) {
    const { isTouched, error } = form.getFieldState(name)
    if (!isTouched && !error) continue
    // Only the server can check its own error again: it stays until the field changes, or Continue or Submit checks it.
    const stays = error?.type === serverErrorType && !changed.has(name)
    const code = codes.get(name) ?? (stays ? error.message : undefined)
    if (code === error?.message) continue
    if (code === undefined) form.clearErrors(name)
    else form.setError(name, { type: 'rule', message: code })
  }
}

/** The tabs that have an issue, shown or not (FRM04, FRM05). */
export function tabsWithIssues(values: FormValues, context: RuleContext): Tab[] {
  return tabsOf(findIssues(values, context).map(({ field }) => field))
}

export function tabsOf(fields: readonly FieldName[]): Tab[] {
  const all = new Set<string>(fields)
  return tabs.filter(tab => fieldsOfTab[tab].some(field => all.has(field)))
}

function toErrors(issues: Issue<FieldName>[]): FieldErrors<FormValues> {
  const errors: FieldErrors<FormValues> = {}
  for (const { field, code } of issues) errors[field] = { type: 'rule', message: code }
  return errors
}
