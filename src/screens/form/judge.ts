import { type FieldName, findIssues, type RuleContext, type Tab } from '#contract/application.ts'
import type { ApplicationForm } from './clear-fields.ts'
import { faultyTabs, refreshFaults, tabsOf } from './form-rules.ts'

export type Judge = {
  /** The tabs that have a fault, as of the last pause; the same list until it changes. */
  faultyTabs: () => readonly Tab[]
  subscribe: (listener: () => void) => () => void
  /** An answer has changed: what it means for the faults is found out in the next pause. */
  note: (fields: readonly FieldName[]) => void
  /** What waits is found out now. */
  flush: () => void
  /** A field was left, and may have its message now. */
  leave: () => void
  /** Something is pressed: no message comes or goes that would move it away from under the finger. */
  hold: () => void
  stop: () => void
}

type Parts = {
  form: ApplicationForm
  rules: () => RuleContext
  after: (milliseconds: number, run: () => void) => () => void
}

/** Longer than between two keys of most people, shorter than anybody waits for a message. */
const patience = 250
/** Longer than a press takes. */
const press = 400

/** All rules over all fields are too much for a slow phone at every key, and nobody reads in the middle of a word. */
export function createJudge({ form, rules, after }: Parts): Judge {
  const listeners = new Set<() => void>()
  const changed = new Set<FieldName>()
  let faulty: readonly Tab[] | undefined
  let cancel: (() => void) | undefined
  let isPressed = false

  function judgeSoon() {
    cancel?.()
    cancel = after(isPressed ? press : patience, judge)
  }

  function judge() {
    cancel?.()
    cancel = undefined
    const issues = findIssues(form.getValues(), rules())
    refreshFaults(form, issues, changed)
    changed.clear()
    const found = tabsOf(issues)
    if (found.join() === faulty?.join()) return
    faulty = found
    for (const listener of listeners) listener()
  }

  return {
    faultyTabs: () => (faulty ??= faultyTabs(form.getValues(), rules())),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    note(fields) {
      for (const field of fields) changed.add(field)
      judgeSoon()
    },
    flush() {
      if (cancel) judge()
    },
    leave() {
      if (isPressed) judgeSoon()
      else judge()
    },
    hold() {
      isPressed = true
      after(press, () => {
        isPressed = false
      })
      if (cancel) judgeSoon()
    },
    stop: () => cancel?.(),
  }
}
