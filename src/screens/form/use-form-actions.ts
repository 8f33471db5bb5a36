import { useNavigate, useRouter } from '@tanstack/react-router'
import { useRef } from 'react'
import { fieldsOfTab, type RuleContext, shownFields, type Tab } from '#contract/application.ts'
import { useServices } from '#app/services.ts'
import { tabAddresses } from '#app/tab-addresses.ts'
import type { FormMethods } from './form-hooks.ts'
import { isFormOpen, tabAfter, tabBefore, tabOf, useFormParams, useTab } from './form-route.ts'
import type { FormPersistence } from './use-form-persistence.ts'
import { useShownIssues } from './use-shown-issues.ts'
import { useSubmit } from './use-submit.ts'

type Parts = { form: FormMethods; context: () => RuleContext; persistence: FormPersistence }

export type FormActions = ReturnType<typeof useFormActions>

/** The actions of the buttons below the form: Continue or Submit, and Back or Cancel (FRM10, FRM13, FRM14). */
export function useFormActions({ form, context, persistence }: Parts) {
  const { autosave, validation } = persistence
  const navigate = useNavigate()
  const services = useServices()
  const router = useRouter()
  const params = useFormParams()
  const tab = useTab()
  const next = tabAfter(tab)
  const previous = tabBefore(tab)
  const runningTab = useRef<Tab>(undefined)
  // Submit may stop at an issue of another tab.
  const { shownIssues, showIssues, hideIssues } = useShownIssues(async target => {
    if (target !== tab) await openTab(target)
  })
  const { submit, busy } = useSubmit({ form, context, persistence, showIssues })

  async function openTab(target: Tab) {
    await navigate({ to: tabAddresses[target], params })
  }

  async function goBack() {
    leaveField()
    validation.flush()
    await autosave.flush()
    // When the storage hangs the flush takes long, and the applicant may have opened another page or tab since (D137).
    if (!isFormOpen(router, services, params.appId) || tabOf(router.latestLocation.pathname) !== tab) return
    await (previous ? openTab(previous) : navigate({ to: '/procedure' }))
  }

  async function goForward() {
    if (runningTab.current === tab) return
    runningTab.current = tab
    leaveField()
    validation.flush()
    try {
      await (next ? openNextTab(next) : submit())
    } finally {
      // Continue may already run on the next tab: then `runningTab` is the next tab and stays.
      if (runningTab.current === tab) runningTab.current = undefined
    }
  }

  async function openNextTab(target: Tab) {
    void autosave.flush()
    const shown = shownFields(form.getValues()).filter(field => fieldsOfTab[tab].includes(field))
    if (!(await form.trigger(shown, { shouldTouch: true }))) {
      validation.markTried([tab])
      return showIssues(tab)
    }
    hideIssues()
    return openTab(target)
  }

  return { goForward, goBack, shownIssues, busy, isFirst: previous === undefined, isLast: next === undefined }
}

/** Blurs the focused field, which runs its blur handlers: a press of these buttons moves no focus (`keepFocus`). */
function leaveField() {
  const field = document.activeElement
  if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.blur()
}
