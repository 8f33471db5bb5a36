import { longestPressMs } from '#ui/longest-press.ts'
import { createListeners } from '#device/observable.ts'
import { type FieldName, findIssues, type RuleContext, type Tab } from '#contract/application.ts'
import type { Issue } from '#contract/issues.ts'
import type { FormMethods } from './form-hooks.ts'
import { updateShownErrors, tabsOf } from './form-rules.ts'

/** Of a tab with an issue: `incomplete` after a refused Continue on this tab or a refused Submit, `untried` before. */
export type TabMark = 'valid' | 'untried' | 'incomplete'

export type FormValidation = {
  markOf: (tab: Tab) => TabMark
  /** Whether one of these fields had an issue at the last validation, whether it is shown or not. */
  hasIssue: (fields: readonly FieldName[]) => boolean
  /** Issues have stopped Continue on these tabs, or Submit, which checks all tabs. */
  markTried: (tabs: readonly Tab[]) => void
  subscribe: (listener: () => void) => () => void
  /** Records changed fields, and validates after the debounce. */
  fieldsChanged: (fields: readonly FieldName[]) => void
  /** Runs a pending validation now. */
  flush: () => void
  /** Validates after the applicant has left a field: at once, or `longestPressMs` later when a press may still last. */
  fieldLeft: () => void
  /** Postpones validation for `longestPressMs`, so that a message does not move the button before the click. */
  pressStarted: () => void
  stop: () => void
}

type Parts = {
  form: FormMethods
  context: () => RuleContext
  /** Runs a function after a delay; returns the function that cancels it. */
  after: (delayMs: number, run: () => void) => () => void
}

/** Longer than the pause between two keystrokes, and so short that a message appears soon after the last one. */
const debounceMs = 250

/** Debounces validation: running all rules at every keystroke is too slow on a cheap phone. */
export function createFormValidation({ form, context, after }: Parts): FormValidation {
  const { subscribe, emit } = createListeners()
  const changed = new Set<FieldName>()
  const triedTabs = new Set<Tab>()
  let fieldsWithIssues: readonly FieldName[] | undefined
  let cancelDebounce: (() => void) | undefined
  /** Set while a press may still last. */
  let cancelPress: (() => void) | undefined

  function validateSoon() {
    cancelDebounce?.()
    cancelDebounce = after(cancelPress ? longestPressMs : debounceMs, validate)
  }

  function validate() {
    cancelDebounce?.()
    cancelDebounce = undefined
    const issues = findIssues(form.getValues(), context())
    updateShownErrors(form, issues, changed)
    changed.clear()
    const found = fieldsOf(issues)
    if (found.join() === fieldsWithIssues?.join()) return
    fieldsWithIssues = found
    emit()
  }

  const currentFieldsWithIssues = () =>
    (fieldsWithIssues ??= fieldsOf(findIssues(form.getValues(), context())))

  return {
    markOf(tab) {
      if (!tabsOf(currentFieldsWithIssues()).includes(tab)) return 'valid'
      return triedTabs.has(tab) ? 'incomplete' : 'untried'
    },
    hasIssue: fields => currentFieldsWithIssues().some(field => fields.includes(field)),
    markTried(tabs) {
      for (const tab of tabs) triedTabs.add(tab)
      emit()
    },
    subscribe,
    fieldsChanged(fields) {
      for (const field of fields) changed.add(field)
      validateSoon()
    },
    flush() {
      if (cancelDebounce) validate()
    },
    fieldLeft() {
      if (cancelPress) validateSoon()
      else validate()
    },
    pressStarted() {
      cancelPress?.()
      cancelPress = after(longestPressMs, () => (cancelPress = undefined))
      if (cancelDebounce) validateSoon()
    },
    stop: () => cancelDebounce?.(),
  }
}

function fieldsOf(issues: readonly Issue<FieldName>[]): readonly FieldName[] {
  return issues.map(({ field }) => field)
}
