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
import type { ApplicationForm } from './clear-fields.ts'
import { today } from './today.ts'

/** What the rules need beside the values. The day may change while the form is open; telling it is not free. */
export function createRules(services: Services, verified: VerifiedFields): () => RuleContext {
  let cached = { at: -Infinity, day: '' }
  return () => {
    const now = services.device.now()
    if (Math.abs(now - cached.at) > 5_000) cached = { at: now, day: today(services) }
    return { today: cached.day, verified }
  }
}

/** The rules of the contract as the form library asks for them; a fault's message is its code. */
export function createResolver(context: () => RuleContext): Resolver<FormValues> {
  return values => {
    const issues = findIssues(values, context())
    return issues.length === 0 ? { values, errors: {} } : { values: {}, errors: toErrors(issues) }
  }
}

/**
 * Brings the faults on the screen up to date after any change: one answer can mend or spoil another that was
 * answered long before. What was not touched yet stays without a message (FRM11).
 */
export function updateFaults(
  form: ApplicationForm,
  found: readonly Issue<FieldName>[],
  changed: ReadonlySet<FieldName>,
): void {
  const issues = new Map(found.map(({ field, code }) => [field, code]))
  for (const name of fieldNames) {
    const { isTouched, error } = form.getFieldState(name)
    if (!isTouched && !error) continue
    // What the server found stays until the field itself is changed: no rule here can judge it.
    const stays = error?.type === serverFaultType && !changed.has(name)
    const code = issues.get(name) ?? (stays ? error.message : undefined)
    if (code === error?.message) continue
    if (code === undefined) form.clearErrors(name)
    else form.setError(name, { type: 'rule', message: code })
  }
}

export const serverFaultType = 'server'

/** Which tabs still have a fault, whether or not it is shown (FRM04, FRM05). */
export function faultyTabs(values: FormValues, context: RuleContext): Tab[] {
  return tabsOf(findIssues(values, context))
}

export function tabsOf(issues: readonly Issue<FieldName>[]): Tab[] {
  const faulty = new Set<string>(issues.map(({ field }) => field))
  return tabs.filter(tab => fieldsOfTab[tab].some(field => faulty.has(field)))
}

function toErrors(issues: Issue<FieldName>[]): FieldErrors<FormValues> {
  const errors: FieldErrors<FormValues> = {}
  for (const { field, code } of issues) errors[field] = { type: 'rule', message: code }
  return errors
}
