import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import {
  type FieldName,
  fieldNames,
  fieldsOfTab,
  type RuleContext,
  type Tab,
  tabOfField,
  tabs,
} from '#contract/application.ts'
import { toIssueCode } from '#contract/issues.ts'
import { useServices } from '#app/services.ts'
import type { SentFault } from '#store/draft.ts'
import type { SyncStatus } from '#sync/sync-status.ts'
import type { ApplicationForm } from './clear-fields.ts'
import { tabAddresses, tabAfter, tabBefore, useFormParams, useTab } from './form-route.ts'
import { faultyTabs, serverFaultType } from './form-rules.ts'
import type { FormPersistence } from './use-form-persistence.ts'

type Parts = { form: ApplicationForm; rules: () => RuleContext; persistence: FormPersistence }

/** A refused Continue or Submit: the tab whose faults are shown, counted so that each refusal is told anew. */
type Refusal = { tab: Tab; count: number }

/** What the buttons at the foot do: back and on through the tabs, and at the end the save (FRM10, FRM13, FRM14). */
export function useFormActions({ form, rules, persistence }: Parts) {
  const { notices, sync } = useServices()
  const { autosave } = persistence
  const navigate = useNavigate()
  const params = useFormParams()
  const tab = useTab()
  const next = tabAfter(tab)
  const previous = tabBefore(tab)
  const [refusal, setRefusal] = useState<Refusal | undefined>(undefined)
  const [busy, setBusy] = useState(false)
  const runningTab = useRef<Tab>(undefined)

  async function openTab(target: Tab) {
    await navigate({ to: tabAddresses[target], params })
  }

  async function refuse(target: Tab) {
    setRefusal(last => ({ tab: target, count: (last?.count ?? 0) + 1 }))
    if (target !== tab) await openTab(target)
  }

  async function goBack() {
    leaveField()
    persistence.validation.flush()
    await autosave.flush()
    await (previous ? openTab(previous) : navigate({ to: '/procedure' }))
  }

  async function goForward() {
    if (runningTab.current === tab) return
    runningTab.current = tab
    leaveField()
    persistence.validation.flush()
    try {
      await (next ? leaveTab(next) : submit())
    } finally {
      // The next tab may be on its way already.
      if (runningTab.current === tab) runningTab.current = undefined
    }
  }

  async function leaveTab(target: Tab) {
    void autosave.flush()
    if (!(await form.trigger(fieldsOfTab[tab], { shouldTouch: true }))) return refuse(tab)
    setRefusal(undefined)
    return openTab(target)
  }

  async function submit() {
    void autosave.flush()
    await form.trigger([...fieldNames], { shouldTouch: true })
    const faulty = faultyTabs(form.getValues(), rules())[0]
    if (faulty) return refuse(faulty)
    setBusy(true)
    const saved = await persistence.submit()
    setBusy(false)
    return handleSubmitted(saved)
  }

  /** What became of a Submit; of one that still waits the line under the tabs tells (D33). */
  async function handleSubmitted(saved: SyncStatus) {
    switch (saved.kind) {
      case 'sent':
      case 'kept':
      case 'none':
        return goToConfirm()
      case 'stuck':
        notices.raise('warning', { key: 'notice.fieldsWrong' })
        return saved.stuck.kind === 'refused' ? showFaults(saved.stuck.faults) : undefined
      case 'not-kept':
      case 'unsent':
      case 'sending':
      case 'waiting':
      case 'choice':
        return undefined
    }
  }

  async function goToConfirm() {
    const appId = await sync.resolveId(params.appId)
    if (appId === params.appId) return navigate({ to: '/confirm/$appId/$appNumber', params })
    // Its number came with its id while it was sent: the list names both.
    return navigate({ to: '/procedure' })
  }

  /** The server's own findings, each under its field, and the first tab that has one. */
  async function showFaults(faults: SentFault[]) {
    const known = faults.flatMap(({ field, message }) => {
      const name = fieldNames.find((each): each is FieldName => each === field)
      return name ? [{ name, message }] : []
    })
    for (const { name, message } of known)
      form.setError(name, { type: serverFaultType, message: toIssueCode(message) })
    const first = tabs.find(each => known.some(({ name }) => tabOfField(name) === each))
    if (first) await refuse(first)
  }

  return {
    goOn: goForward,
    goBack,
    refusal,
    busy,
    isFirst: previous === undefined,
    isLast: next === undefined,
  }
}

/** What happens when a field is left happens now: the button that was pressed did not take the focus. */
function leaveField() {
  const field = document.activeElement
  if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.blur()
}
