import { type FieldName, findIssues, type RuleContext, type Tab } from '#contract/application.ts'
import type { ApplicationForm } from './clear-fields.ts'
import { faultyTabs, updateFaults, tabsOf } from './form-rules.ts'

export type FormValidation = {
  /** The tabs that have a fault, as of the last pause; the same list until it changes. */
  faultyTabs: () => readonly Tab[]
  subscribe: (listener: () => void) => () => void
  /** An answer has changed: what it means for the faults is found out in the next pause. */
  fieldsChanged: (fields: readonly FieldName[]) => void
  /** What waits is found out now. */
  flush: () => void
  /** A field was left, and may have its message now. */
  fieldLeft: () => void
  /** Something is pressed: no message comes or goes that would move it away from under the finger. */
  pressStarted: () => void
  stop: () => void
}

type Parts = {
  form: ApplicationForm
  rules: () => RuleContext
  after: (milliseconds: number, run: () => void) => () => void
}

/** Longer than between two keys of most people, shorter than anybody waits for a message. */
const debounceMs = 250
/** Longer than a press takes. */
const pressMs = 400

/** All rules over all fields are too much for a slow phone at every key, and nobody reads in the middle of a word. */
export function createFormValidation({ form, rules, after }: Parts): FormValidation {
  const listeners = new Set<() => void>()
  const changed = new Set<FieldName>()
  let cachedFaultyTabs: readonly Tab[] | undefined
  let cancelDebounce: (() => void) | undefined
  let isPressed = false

  function validateSoon() {
    cancelDebounce?.()
    cancelDebounce = after(isPressed ? pressMs : debounceMs, validate)
  }

  function validate() {
    cancelDebounce?.()
    cancelDebounce = undefined
    const issues = findIssues(form.getValues(), rules())
    updateFaults(form, issues, changed)
    changed.clear()
    const found = tabsOf(issues)
    if (found.join() === cachedFaultyTabs?.join()) return
    cachedFaultyTabs = found
    for (const listener of listeners) listener()
  }

  return {
    faultyTabs: () => (cachedFaultyTabs ??= faultyTabs(form.getValues(), rules())),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    fieldsChanged(fields) {
      for (const field of fields) changed.add(field)
      validateSoon()
    },
    flush() {
      if (cancelDebounce) validate()
    },
    fieldLeft() {
      if (isPressed) validateSoon()
      else validate()
    },
    pressStarted() {
      isPressed = true
      after(pressMs, () => {
        isPressed = false
      })
      if (cancelDebounce) validateSoon()
    },
    stop: () => cancelDebounce?.(),
  }
}
